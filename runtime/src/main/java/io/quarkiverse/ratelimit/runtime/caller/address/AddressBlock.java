package io.quarkiverse.ratelimit.runtime.caller.address;

import io.quarkus.runtime.configuration.CidrAddressConverter;
import io.smallrye.common.net.CidrAddress;

/** Parses address blocks. Never sends a DNS query. */
public final class AddressBlock {

    private AddressBlock() {
    }

    /**
     * Parses a text such as {@code 10.0.0.0/8} or {@code 192.0.2.1}. Returns {@code null} if it is not a block, or a block
     * of IPv6 addresses that count as IPv4.
     */
    public static CidrAddress parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = IpLiteral.parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            return null;
        }
        if (slash < 0) {
            byte[] counted = Nat64.ipv4(address);
            return CidrAddress.create(counted, 8 * counted.length);
        }
        boolean mapped = address.length == 4 && text.indexOf(':') >= 0;
        try {
            return mapped || Nat64.isTranslated(address) ? null : new CidrAddressConverter().convert(text);
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }
}
