package io.quarkiverse.ratelimit.runtime.caller;

import io.quarkus.runtime.configuration.CidrAddressConverter;
import io.smallrye.common.net.CidrAddress;

/** Parses address blocks. Never sends a DNS query. */
public final class AddressBlock {

    private AddressBlock() {
    }

    /** Parses a text such as {@code 10.0.0.0/8} or {@code 192.0.2.1}. Returns {@code null} if it is not a block. */
    public static CidrAddress parse(String text) {
        int slash = text.indexOf('/');
        byte[] address = IpLiteral.parse(slash < 0 ? text : text.substring(0, slash));
        boolean mapped = address != null && address.length == 4 && text.indexOf(':') >= 0;
        if (address == null || mapped && slash >= 0) {
            return null;
        }
        try {
            return slash < 0 ? CidrAddress.create(address, 8 * address.length) : new CidrAddressConverter().convert(text);
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }
}
