package io.quarkiverse.ratelimit.runtime.caller;

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
 */
record TrustedProxies(List<Proxy> proxies, boolean hasHostNames) {

    static final TrustedProxies NONE = new TrustedProxies(List.of(), false);

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
        return new TrustedProxies(List.copyOf(proxies), hasHostNames);
    }

    private static Proxy proxy(String entry) {
        if (entry.indexOf('/') >= 0) {
            return new Proxy(new CidrAddressConverter().convert(entry), 0);
        }
        byte[] address = IpLiteral.parse(entry.equals("localhost") ? "127.0.0.1" : entry);
        if (address != null) {
            return new Proxy(CidrAddress.create(address, 8 * address.length), 0);
        }
        InetSocketAddress socket = new InetSocketAddressConverter().convert(entry);
        if (socket.isUnresolved()) {
            return null;
        }
        address = IpLiteral.canonical(socket.getAddress().getAddress());
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
