package io.quarkiverse.ratelimit.runtime.caller;

import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.ForwardingHeader.X_FORWARDED_FOR;

import java.util.Arrays;

import io.vertx.core.MultiMap;

/**
 * Finds the caller behind trusted proxies: the right-most address that is none of them. Whatever stands further left
 * was sent by the caller, who can make it up; Quarkus' own resolution takes the left-most.
 *
 * @param forwarded whether the header {@code Forwarded} counts
 * @param xForwarded whether the header {@code X-Forwarded-For} counts
 * @param strict whether the two must tell the same where both are sent
 * @param preferred which of the two counts otherwise
 */
record Forwarding(TrustedProxies proxies, boolean forwarded, boolean xForwarded, boolean strict,
        ForwardingHeader preferred) {

    static final Forwarding NONE = new Forwarding(TrustedProxies.NONE, false, false, true, FORWARDED);

    /** Whether a header is there that counts. */
    boolean reads(MultiMap headers) {
        return forwarded && headers.contains(FORWARDED.header) || xForwarded && headers.contains(X_FORWARDED_FOR.header);
    }

    /**
     * The address of the caller, {@code null} when it is not known.
     *
     * @param proxy the trusted proxy from which the request comes
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
