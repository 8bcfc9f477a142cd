package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.Arrays;
import java.util.HexFormat;

import io.quarkiverse.ratelimit.runtime.platform.vertx.IpText;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.common.net.Inet;

/** Parses addresses to 4 or 16 bytes, and finds the IPv4 address in those of IPv6. Never sends a DNS query. */
public final class IpAddress {

    private static final HexFormat HEX = HexFormat.of();

    /** {@code ::ffff:0:0/96} (RFC 4291). */
    private static final byte[] MAPPED = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1 };
    /** {@code 64:ff9b::/96} (RFC 6052). */
    private static final byte[] TRANSLATED = { 0, 0x64, -1, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0 };
    /** {@code 64:ff9b:1::/48} (RFC 8215). */
    private static final byte[] TRANSLATED_LOCALLY = { 0, 0x64, -1, (byte) 0x9b, 0, 1 };
    /**
     * Places of the IPv4 bytes after a prefix of 48, 56, 64 and 96 bits (RFC 6052, section 2.2). Byte 8 is never one of them,
     * and all bytes after them are zero.
     */
    private static final int[][] PLACES = { { 6, 7, 9, 10 }, { 7, 9, 10, 11 }, { 9, 10, 11, 12 }, { 12, 13, 14, 15 } };

    private IpAddress() {
    }

    /**
     * Parses a block such as {@code 10.0.0.0/8} or {@code 192.0.2.1}. Returns {@code null} if the text is not a block, or a
     * block of IPv6 addresses that count as IPv4.
     */
    public static CidrAddress block(String text) {
        int slash = text.indexOf('/');
        byte[] address = parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        if (slash < 0) {
            byte[] counted = untranslated(address);
            return CidrAddress.create(counted, 8 * counted.length);
        }
        boolean mapped = address.length == 4 && text.indexOf(':') >= 0;
        return mapped || isTranslated(address) ? null : Inet.parseCidrAddress(text);
    }

    /** Parses an address and ignores its zone. Returns {@code null} if the text is not an address. */
    static byte[] parse(String text) {
        if (text.indexOf('[') >= 0) {
            return null;
        }
        if (text.indexOf(':') < 0) {
            return IpText.ipv4(text);
        }
        int zone = text.indexOf('%');
        String hex = withoutDots(zone < 0 ? text : text.substring(0, zone));
        return hex == null ? null : unmapped(IpText.ipv6(hex));
    }

    /** Replaces an IPv4 address at the end, which any IPv6 address may have, by two groups. */
    private static String withoutDots(String text) {
        if (text.indexOf('.') < 0) {
            return text;
        }
        int last = text.lastIndexOf(':') + 1;
        byte[] bytes = IpText.ipv4(text.substring(last));
        return bytes == null ? null
                : text.substring(0, last) + HEX.formatHex(bytes, 0, 2) + ':' + HEX.formatHex(bytes, 2, 4);
    }

    /** Converts an IPv4-mapped address to 4 bytes. Returns any other address, and {@code null}, unchanged. */
    static byte[] unmapped(byte[] address) {
        return address != null && hasPrefix(address, MAPPED) ? Arrays.copyOfRange(address, 12, 16) : address;
    }

    /** Converts an address that a translator (NAT64) uses for an IPv4 host to 4 bytes. Returns any other address unchanged. */
    static byte[] untranslated(byte[] address) {
        if (isTranslated(address)) {
            for (int[] places : PLACES) {
                // no host has an address of 0.0.0.0/8, so such bytes are those of another prefix
                if (address[places[0]] != 0 && endsWithZeros(address, places[3] + 1)) {
                    return new byte[] { address[places[0]], address[places[1]], address[places[2]], address[places[3]] };
                }
            }
        }
        return address;
    }

    private static boolean isTranslated(byte[] address) {
        return hasPrefix(address, TRANSLATED) || hasPrefix(address, TRANSLATED_LOCALLY) && address[8] == 0;
    }

    private static boolean hasPrefix(byte[] address, byte[] prefix) {
        return address.length == 16 && Arrays.equals(address, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static boolean endsWithZeros(byte[] address, int from) {
        return Arrays.equals(address, from, address.length, new byte[16], from, address.length);
    }
}
