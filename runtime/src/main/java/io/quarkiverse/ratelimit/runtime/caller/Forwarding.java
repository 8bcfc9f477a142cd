package io.quarkiverse.ratelimit.runtime.caller;

import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.X_FORWARDED_FOR;

import java.util.Arrays;

import io.vertx.core.MultiMap;

/**
 * Finds the caller behind trusted proxies: the rightmost address that is not a trusted proxy. The caller can forge every
 * address to the left of it. Quarkus itself uses the leftmost address.
 *
 * @param forwarded whether to read the header {@code Forwarded}
 * @param xForwarded whether to read the header {@code X-Forwarded-For}
 * @param strict whether the two headers must give the same address if a request has both
 * @param preferred which of the two headers to use otherwise
 */
record Forwarding(TrustedProxies proxies, boolean forwarded, boolean xForwarded, boolean strict,
        ForwardingHeader preferred) {

    static final Forwarding NONE = new Forwarding(TrustedProxies.NONE, false, false, true, FORWARDED);

    /** Whether the request has a header that this configuration reads. */
    boolean reads(MultiMap headers) {
        return forwarded && headers.contains(FORWARDED.header) || xForwarded && headers.contains(X_FORWARDED_FOR.header);
    }

    /**
     * The address of the caller, or {@code null} if it is unknown.
     *
     * @param proxy the trusted proxy that sent the request
     */
    byte[] callerBehind(Hop proxy, MultiMap headers) {
        boolean hasForwarded = forwarded && headers.contains(FORWARDED.header);
        boolean hasXForwarded = xForwarded && headers.contains(X_FORWARDED_FOR.header);
        if (hasForwarded && hasXForwarded && strict) {
            byte[] caller = rightMost(FORWARDED, proxy, headers);
            return Arrays.equals(caller, rightMost(X_FORWARDED_FOR, proxy, headers)) ? caller : null;
        }
        if (hasForwarded && (!hasXForwarded || preferred == FORWARDED)) {
            return rightMost(FORWARDED, proxy, headers);
        }
        return hasXForwarded ? rightMost(X_FORWARDED_FOR, proxy, headers) : proxy.address();
    }

    private byte[] rightMost(ForwardingHeader header, Hop proxy, MultiMap headers) {
        Hop hop = proxy;
        ElementsFromRight elements = new ElementsFromRight(headers.getAll(header.header));
        for (String element = elements.next(); element != null; element = elements.next()) {
            hop = header.hop(element);
            if (hop == null) {
                return null;
            }
            if (!proxies.contains(hop.address(), hop.port())) {
                break;
            }
        }
        return hop.address();
    }
}
