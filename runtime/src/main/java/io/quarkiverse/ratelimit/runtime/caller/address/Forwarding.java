package io.quarkiverse.ratelimit.runtime.caller.address;

import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.X_FORWARDED_FOR;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.core.MultiMap;

/**
 * Finds the caller behind proxies: behind a known number of proxies, or the rightmost address that is not a trusted proxy.
 * Addresses to the left of it are not used, because the caller can forge them. Quarkus itself uses the leftmost address.
 *
 * @param hops the number of proxies that append an address; 0 to use {@code proxies} instead
 * @param forwarded whether to read the header {@code Forwarded}
 * @param xForwarded whether to read the header {@code X-Forwarded-For}
 * @param strict whether the two headers must give the same address if a request has both
 * @param preferred which of the two headers to use otherwise
 */
record Forwarding(TrustedProxies proxies, int hops, boolean forwarded, boolean xForwarded, boolean strict,
        ForwardingHeader preferred) {

    /** Why the address of a request may be wrong if it has a forwarding header although no proxy is trusted. */
    static final String IGNORED_HEADER = "A request came with X-Forwarded-For or Forwarded, which is ignored because no proxy is"
            + " trusted: callers behind the proxy that sent it share one address. Set"
            + " quarkus.http.proxy.proxy-address-forwarding=true and quarkus.http.proxy.trusted-proxies to the proxy's address,"
            + " or quarkus.rate-limit.proxy-hops to the number of proxies.";

    static Forwarding of(ProxyConfig proxy, List<String> trustedProxies, int hops) {
        boolean trusts = hops == 0 && proxy.proxyAddressForwarding();
        return new Forwarding(TrustedProxies.of(trusts ? trustedProxies : List.of()), hops, proxy.allowForwarded(),
                proxy.allowXForwarded().orElse(!proxy.allowForwarded()), proxy.strictForwardedControl(),
                switch (proxy.forwardedPrecedence()) {
                    case FORWARDED -> FORWARDED;
                    case X_FORWARDED -> X_FORWARDED_FOR;
                });
    }

    /** Why addresses may be wrong or missing, whatever requests there are. */
    List<String> warnings(VertxHttpConfig http) {
        List<String> warnings = new ArrayList<>();
        if (hops > 0) {
            return warnings;
        }
        if (http.proxy().proxyAddressForwarding() && proxies.areNone()) {
            warnings.add("quarkus.http.proxy.proxy-address-forwarding is on, but no proxy is trusted, so that callers could"
                    + " choose their address. Rate limits count the address of the connection. Set"
                    + " quarkus.http.proxy.trusted-proxies, or quarkus.rate-limit.proxy-hops to the number of proxies.");
        }
        if (proxies.containCallers()) {
            warnings.add("quarkus.http.proxy.trusted-proxies contains so many addresses that callers are among them, and could"
                    + " choose their address. So rate limits count the right-most address of the forwarding header, and"
                    + " exempt-ips does not apply. Set trusted-proxies to the addresses of the proxies only, or"
                    + " quarkus.rate-limit.proxy-hops to the number of proxies.");
        }
        if (http.domainSocketEnabled()) {
            warnings.add("quarkus.http.domain-socket-enabled is on, and connections through the domain socket have no address."
                    + " So all callers behind a proxy that uses it share one count. Set quarkus.rate-limit.proxy-hops to the"
                    + " number of proxies.");
        }
        return warnings;
    }

    /** Why the address of a request is missing that has fewer addresses than there are {@link #hops}. */
    String missingAddress() {
        return "A request has no address in place " + hops + ", counted from the right, of X-Forwarded-For (or of Forwarded,"
                + " with quarkus.http.proxy.allow-forwarded=true), which quarkus.rate-limit.proxy-hops=" + hops + " selects. So"
                + " the address of its caller is missing. Set proxy-hops to the number of proxies that append to this header.";
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
        List<String> elements = ForwardingHeader.elements(lines);
        Hop caller = hops > 0 ? behindHops(header, elements) : behindTrusted(header, elements, sender);
        return caller == null ? null : caller.address();
    }

    private Hop behindHops(ForwardingHeader header, List<String> elements) {
        return elements.size() < hops ? null : header.hop(elements.get(hops - 1));
    }

    private Hop behindTrusted(ForwardingHeader header, List<String> elements, Hop sender) {
        Hop hop = sender;
        for (String element : elements) {
            hop = header.hop(element);
            if (hop == null || proxies.containCallers() || !proxies.contain(hop)) {
                break;
            }
        }
        return hop;
    }
}
