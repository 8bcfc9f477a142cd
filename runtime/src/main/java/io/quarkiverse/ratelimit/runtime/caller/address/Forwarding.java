package io.quarkiverse.ratelimit.runtime.caller.address;

import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.FORWARDED;
import static io.quarkiverse.ratelimit.runtime.caller.address.ForwardingHeader.X_FORWARDED_FOR;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.quarkus.vertx.http.runtime.ProxyConfig.ForwardedPrecedence;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.core.MultiMap;

/**
 * Finds the caller behind proxies: in the header that a trusted proxy sets, behind a known number of proxies, or the rightmost
 * address that is not a trusted proxy. Addresses to the left of it are not used, because the caller can forge them. Quarkus
 * itself uses the leftmost address.
 *
 * @param addressHeader header in which a trusted proxy sends the address of its caller alone; {@code null} for none
 * @param hops number of proxies that append an address; 0 to use {@code proxies} instead
 * @param headers headers that contain the caller, the preferred one first
 * @param strict true if two headers must give the same address if a request has both
 */
record Forwarding(TrustedProxies proxies, String addressHeader, int hops, List<ForwardingHeader> headers, boolean strict) {

    /** Warning that the address of a request may be wrong, because it has a forwarding header although no proxy is trusted. */
    static final String IGNORED_HEADER = "A request came with X-Forwarded-For or Forwarded, which is ignored because no proxy is"
            + " trusted: callers behind the proxy that sent it share one address. Set"
            + " quarkus.http.proxy.proxy-address-forwarding=true and quarkus.http.proxy.trusted-proxies to the proxy's address,"
            + " or quarkus.rate-limit.proxy-hops to the number of proxies.";

    static Forwarding of(ProxyConfig proxy, List<String> trustedProxies, String addressHeader, int hops) {
        List<ForwardingHeader> headers = new ArrayList<>();
        if (proxy.allowForwarded()) {
            headers.add(FORWARDED);
        }
        if (proxy.allowXForwarded().orElse(!proxy.allowForwarded())) {
            headers.add(X_FORWARDED_FOR);
        }
        if (proxy.forwardedPrecedence() == ForwardedPrecedence.X_FORWARDED) {
            Collections.reverse(headers);
        }
        boolean trusts = hops == 0 && (addressHeader != null || proxy.proxyAddressForwarding());
        return new Forwarding(TrustedProxies.of(trusts ? trustedProxies : List.of()), addressHeader, hops, headers,
                proxy.strictForwardedControl());
    }

    /** Returns why addresses may be wrong or missing for any request. */
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
                    + " number of proxies" + (addressHeader == null ? "." : ", and remove address-header."));
        }
        return warnings;
    }

    /** Explains why callers share one count if a proxy sends no address, or none that is understood. */
    String missingAddress() {
        if (hops == 0) {
            return "A trusted proxy sent a request without an address that is understood in "
                    + (addressHeader != null ? addressHeader
                            : headers.stream().map(header -> header.header).collect(Collectors.joining(" or ")))
                    + ". All callers of such requests share one count. Let the proxy set this header, or correct the"
                    + " configuration of proxies.";
        }
        return "A request has no address in place " + hops + ", counted from the right, of X-Forwarded-For (or of Forwarded,"
                + " with quarkus.http.proxy.allow-forwarded=true), which quarkus.rate-limit.proxy-hops=" + hops + " selects. So"
                + " the address of its caller is missing. Set proxy-hops to the number of proxies that append to this header.";
    }

    /** Returns whether a request has the header in which trusted proxies send nothing but the address of their caller. */
    boolean hasAddressHeader(MultiMap request) {
        return addressHeader != null && request.contains(addressHeader);
    }

    /** Returns the headers of a request that this configuration reads. */
    List<ForwardingHeader> readFrom(MultiMap request) {
        return headers.stream().filter(header -> request.contains(header.header)).toList();
    }

    /**
     * Returns the address of the caller, or {@code null} if it is unknown; {@code sender} itself if no address was sent.
     *
     * @param sender the trusted proxy that sent the request; not used with {@code hops}
     */
    byte[] callerBehind(byte[] sender, MultiMap request) {
        if (addressHeader != null) {
            List<String> fields = request.getAll(addressHeader);
            return fields.size() == 1 ? ForwardingHeader.single(fields.get(0).strip()) : null;
        }
        List<ForwardingHeader> found = readFrom(request);
        if (found.isEmpty()) {
            return hops > 0 ? null : sender;
        }
        byte[] caller = caller(found.get(0), request, sender);
        boolean contradicted = strict && found.size() > 1 && !Arrays.equals(caller, caller(found.get(1), request, sender));
        return contradicted ? null : caller;
    }

    private byte[] caller(ForwardingHeader header, MultiMap request, byte[] sender) {
        ForwardingHeader.Parts elements = ForwardingHeader.elements(request.getAll(header.header));
        String element = elements.next();
        if (hops > 0) {
            for (int i = 1; i < hops && element != null; i++) {
                element = elements.next();
            }
            return element == null ? null : header.address(element);
        }
        byte[] caller = sender;
        for (; element != null; element = elements.next()) {
            caller = header.address(element);
            if (caller == null || proxies.containCallers() || !proxies.contain(caller)) {
                break;
            }
        }
        return caller;
    }
}
