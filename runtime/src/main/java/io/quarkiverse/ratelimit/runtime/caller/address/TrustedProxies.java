package io.quarkiverse.ratelimit.runtime.caller.address;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;

import io.quarkus.runtime.configuration.CidrAddressConverter;
import io.smallrye.common.net.CidrAddress;

/**
 * Holds the proxies of {@code quarkus.http.proxy.trusted-proxies}: addresses and blocks of addresses.
 *
 * @param hasOthers true if the list has host names or ports, which only Quarkus compares
 * @param containCallers true if the list contains so many addresses that callers are among them
 */
public record TrustedProxies(List<CidrAddress> blocks, boolean hasOthers, boolean containCallers) {

    /** Share of all IPv4 or IPv6 addresses that no list of proxies reaches. {@code 2000::/3} are all of the internet. */
    private static final double TOO_MANY = 1.0 / 8;

    /** Parses the entries as Quarkus does. Also accepts IPv6 addresses without brackets. */
    public static TrustedProxies of(List<String> entries) {
        List<CidrAddress> blocks = new ArrayList<>();
        for (String entry : entries) {
            CidrAddress block = block(entry.trim());
            if (block != null) {
                blocks.add(block);
            }
        }
        return new TrustedProxies(blocks, blocks.size() < entries.size(),
                !blocks.isEmpty() && (share(blocks, Inet4Address.class) >= TOO_MANY
                        || share(blocks, Inet6Address.class) >= TOO_MANY));
    }

    private static double share(List<CidrAddress> blocks, Class<?> family) {
        return blocks.stream().distinct().filter(block -> family.isInstance(block.getNetworkAddress()))
                .mapToDouble(block -> Math.scalb(1.0, -block.getNetmaskBits())).sum();
    }

    private static CidrAddress block(String entry) {
        if (entry.indexOf('/') >= 0) {
            return new CidrAddressConverter().convert(entry);
        }
        byte[] address = IpAddress.parse(entry.equals("localhost") ? "127.0.0.1" : entry.replaceAll("^\\[|]$", ""));
        return address == null ? null : CidrAddress.create(address, 8 * address.length);
    }

    public boolean areNone() {
        return blocks.isEmpty() && !hasOthers;
    }

    boolean contain(byte[] address) {
        return blocks.stream().anyMatch(block -> block.matches(address));
    }
}
