package io.quarkiverse.ratelimit.runtime.caller.address;

import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.X_FORWARDED_FOR;

import java.util.Arrays;
import java.util.List;

import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.vertx.core.MultiMap;

/**
 * Finds the caller behind proxies: behind a known number of proxies, or the rightmost address that is not a trusted proxy.
 * The caller can forge every address to the left of it. Quarkus itself uses the leftmost address.
 *
 * @param hops the number of proxies that append an address; 0 to use {@code proxies} instead
 * @param forwarded whether to read the header {@code Forwarded}
 * @param xForwarded whether to read the header {@code X-Forwarded-For}
 * @param strict whether the two headers must give the same address if a request has both
 * @param preferred which of the two headers to use otherwise
 */
record Forwarding(TrustedProxies proxies, int hops, boolean forwarded, boolean xForwarded, boolean strict,
        ForwardingHeader preferred) {

    static final Forwarding NONE = new Forwarding(TrustedProxies.NONE, 0, false, false, true, FORWARDED);

    static Forwarding of(ProxyConfig proxy, List<String> trustedProxies, int hops) {
        if (hops == 0 && !proxy.proxyAddressForwarding()) {
            return NONE;
        }
        return new Forwarding(hops == 0 ? TrustedProxies.of(trustedProxies) : TrustedProxies.NONE, hops, proxy.allowForwarded(),
                proxy.allowXForwarded().orElse(!proxy.allowForwarded()), proxy.strictForwardedControl(),
                switch (proxy.forwardedPrecedence()) {
                    case FORWARDED -> FORWARDED;
                    case X_FORWARDED -> X_FORWARDED_FOR;
                });
    }

    /** Whether the request has a header that this configuration reads. */
    boolean reads(MultiMap headers) {
        return forwarded && headers.contains(FORWARDED.header) || xForwarded && headers.contains(X_FORWARDED_FOR.header);
    }

    /**
     * The address of the caller, or {@code null} if it is unknown.
     *
     * @param sender the trusted proxy that sent the request; not used with {@code hops}
     */
    byte[] callerBehind(Hop sender, MultiMap headers) {
        List<String> standard = forwarded ? headers.getAll(FORWARDED.header) : List.of();
        List<String> usual = xForwarded ? headers.getAll(X_FORWARDED_FOR.header) : List.of();
        if (!standard.isEmpty() && !usual.isEmpty() && strict) {
            byte[] caller = caller(FORWARDED, standard, sender);
            return Arrays.equals(caller, caller(X_FORWARDED_FOR, usual, sender)) ? caller : null;
        }
        return !standard.isEmpty() && (usual.isEmpty() || preferred == FORWARDED) ? caller(FORWARDED, standard, sender)
                : caller(X_FORWARDED_FOR, usual, sender);
    }

    private byte[] caller(ForwardingHeader header, List<String> lines, Hop sender) {
        ElementsFromRight elements = new ElementsFromRight(lines);
        Hop caller = hops > 0 ? behindHops(header, elements) : behindTrusted(header, elements, sender);
        return caller == null ? null : caller.address();
    }

    private Hop behindHops(ForwardingHeader header, ElementsFromRight elements) {
        String element = elements.next();
        for (int hop = 1; hop < hops && element != null; hop++) {
            element = elements.next();
        }
        return element == null ? null : header.hop(element);
    }

    private Hop behindTrusted(ForwardingHeader header, ElementsFromRight elements, Hop sender) {
        Hop hop = sender;
        for (String element = elements.next(); element != null; element = elements.next()) {
            hop = header.hop(element);
            if (hop == null || proxies.containCallers() || !proxies.contains(hop.address(), hop.port())) {
                break;
            }
        }
        return hop;
    }
}
