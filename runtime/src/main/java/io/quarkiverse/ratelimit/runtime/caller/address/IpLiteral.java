package io.quarkiverse.ratelimit.runtime.caller.address;

import io.quarkiverse.ratelimit.runtime.vertx.IpText;

/** Parses IP addresses to 4 or 16 bytes. Never sends a DNS query. */
final class IpLiteral {

    private static final int LONGEST = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%".length() + 64;

    private IpLiteral() {
    }

    /** Parses an address and ignores its zone. Returns {@code null} if the text is not an address. */
    static byte[] parse(String text) {
        if (text.length() > LONGEST || text.indexOf('[') >= 0) {
            return null;
        }
        if (text.indexOf(':') < 0) {
            return IpText.ipv4(text);
        }
        int zone = text.indexOf('%');
        String hex = withoutDots(zone < 0 ? text : text.substring(0, zone));
        return hex == null ? null : canonical(IpText.ipv6(hex));
    }

    /** Any IPv6 address may end with an IPv4 address, which becomes two groups. */
    private static String withoutDots(String text) {
        int last = text.lastIndexOf(':') + 1;
        if (text.indexOf('.') < 0) {
            return text;
        }
        byte[] bytes = IpText.ipv4(text.substring(last));
        return bytes == null ? null : text.substring(0, last) + group(bytes[0], bytes[1]) + ':' + group(bytes[2], bytes[3]);
    }

    private static String group(byte high, byte low) {
        return Integer.toHexString((high & 0xff) << 8 | low & 0xff);
    }

    /** Converts an IPv4-mapped address to 4 bytes. Returns any other address unchanged. */
    static byte[] canonical(byte[] address) {
        if (address == null || address.length != 16 || address[10] != -1 || address[11] != -1) {
            return address;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return address;
            }
        }
        return new byte[] { address[12], address[13], address[14], address[15] };
    }
}
