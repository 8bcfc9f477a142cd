package io.quarkiverse.ratelimit.runtime.caller.address;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import io.quarkus.runtime.configuration.CidrAddressConverter;
import io.quarkus.runtime.configuration.InetSocketAddressConverter;
import io.smallrye.common.net.CidrAddress;

/**
 * Holds the proxies of {@code quarkus.http.proxy.trusted-proxies}: addresses and host names, each with or without a
 * port, and address blocks.
 *
 * @param hasHostNames whether the list has host names, which only Quarkus resolves
 * @param containCallers whether the list contains so many addresses that callers are among them
 */
record TrustedProxies(List<Proxy> proxies, boolean hasHostNames, boolean containCallers) {

    static final TrustedProxies NONE = new TrustedProxies(List.of(), false, false);

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
        boolean containCallers = share(proxies, true) >= TOO_MANY || share(proxies, false) >= TOO_MANY;
        return new TrustedProxies(List.copyOf(proxies), hasHostNames, containCallers);
    }

    private static double share(List<Proxy> proxies, boolean ipv4) {
        return proxies.stream().map(Proxy::block).distinct()
                .filter(block -> block.getNetworkAddress() instanceof Inet4Address == ipv4)
                .mapToDouble(block -> Math.scalb(1.0, -block.getNetmaskBits())).sum();
    }

    private static Proxy proxy(String entry) {
        if (entry.indexOf('/') >= 0) {
            return new Proxy(new CidrAddressConverter().convert(entry), 0);
        }
        byte[] address = IpAddress.parse(entry.equals("localhost") ? "127.0.0.1" : entry);
        if (address != null) {
            return new Proxy(CidrAddress.create(address, 8 * address.length), 0);
        }
        InetSocketAddress socket = new InetSocketAddressConverter().convert(entry);
        if (socket.isUnresolved()) {
            return null;
        }
        address = IpAddress.unmapped(socket.getAddress().getAddress());
        return new Proxy(CidrAddress.create(address, 8 * address.length), socket.getPort());
    }

    boolean isEmpty() {
        return proxies.isEmpty() && !hasHostNames;
    }

    /** Whether an address belongs to a trusted proxy. A port of 0 is unknown and matches only entries without a port. */
    boolean contains(byte[] address, int port) {
        for (Proxy proxy : proxies) {
            if ((proxy.port == 0 || proxy.port == port) && proxy.block.matches(address)) {
                return true;
            }
        }
        return false;
    }
}
