package io.quarkiverse.ratelimit.runtime.caller.address;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;

import io.quarkus.runtime.configuration.CidrAddressConverter;
import io.smallrye.common.net.CidrAddress;

/**
 * Holds the proxies of {@code quarkus.http.proxy.trusted-proxies}: addresses and host names, each with or without a
 * port, and address blocks.
 *
 * @param hasHostNames whether the list has host names, which only Quarkus resolves
 * @param containCallers whether the list contains so many addresses that callers are among them
 */
record TrustedProxies(List<Proxy> proxies, boolean hasHostNames, boolean containCallers) {

    /** The share of all IPv4 or IPv6 addresses that no list of proxies reaches. {@code 2000::/3} are all of the internet. */
    private static final double TOO_MANY = 1.0 / 8;

    /** One entry; a {@code port} of 0 matches any port. */
    record Proxy(CidrAddress block, int port) {
    }

    /** Parses the entries as Quarkus does. Also accepts IPv6 addresses without brackets. */
    static TrustedProxies of(List<String> entries) {
        List<Proxy> proxies = new ArrayList<>();
        boolean hasHostNames = false;
        for (String entry : entries) {
            Proxy proxy = proxy(entry.trim());
            if (proxy == null) {
                hasHostNames = true;
            } else {
                proxies.add(proxy);
            }
        }
        return new TrustedProxies(proxies, hasHostNames,
                share(proxies, Inet4Address.class) >= TOO_MANY || share(proxies, Inet6Address.class) >= TOO_MANY);
    }

    private static double share(List<Proxy> proxies, Class<?> family) {
        return proxies.stream().map(Proxy::block).distinct().filter(block -> family.isInstance(block.getNetworkAddress()))
                .mapToDouble(block -> Math.scalb(1.0, -block.getNetmaskBits())).sum();
    }

    private static Proxy proxy(String entry) {
        if (entry.indexOf('/') >= 0) {
            return new Proxy(new CidrAddressConverter().convert(entry), 0);
        }
        Hop hop = Hop.parse(entry.equals("localhost") ? "127.0.0.1" : entry);
        return hop == null ? null : new Proxy(CidrAddress.create(hop.address(), 8 * hop.address().length), hop.port());
    }

    boolean areNone() {
        return proxies.isEmpty() && !hasHostNames;
    }

    /** A port of 0 is unknown and matches only entries without a port. */
    boolean contain(Hop hop) {
        for (Proxy proxy : proxies) {
            if ((proxy.port == 0 || proxy.port == hop.port()) && proxy.block.matches(hop.address())) {
                return true;
            }
        }
        return false;
    }
}
