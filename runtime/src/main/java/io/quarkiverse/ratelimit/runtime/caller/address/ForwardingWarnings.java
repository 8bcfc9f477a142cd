package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.ArrayList;
import java.util.List;

import io.quarkus.vertx.http.runtime.VertxHttpConfig;

/** Words the warnings about proxies that are not configured, or not correctly. */
final class ForwardingWarnings {

    /** A request has a forwarding header although no proxy is trusted. */
    static final String IGNORED = "A request came with X-Forwarded-For or Forwarded, which is ignored because no proxy is"
            + " trusted: callers behind the proxy that sent it share one address. Set"
            + " quarkus.http.proxy.proxy-address-forwarding=true and quarkus.http.proxy.trusted-proxies to the proxy's address,"
            + " or quarkus.rate-limit.proxy-hops to the number of proxies.";

    private ForwardingWarnings() {
    }

    /** A request has fewer addresses than proxies. */
    static String missing(int hops) {
        return "A request has no address at the place that quarkus.rate-limit.proxy-hops=" + hops + " names, counted from the"
                + " right of X-Forwarded-For (or of Forwarded, with quarkus.http.proxy.allow-forwarded=true). So the address of"
                + " its caller is missing. Set proxy-hops to the number of proxies that append to this header.";
    }

    /** What the configuration makes uncertain, whatever requests there are. */
    static List<String> atStart(VertxHttpConfig http, Forwarding forwarding) {
        List<String> warnings = new ArrayList<>();
        if (forwarding.hops() > 0) {
            return warnings;
        }
        if (http.proxy().proxyAddressForwarding() && forwarding.proxies().isEmpty()) {
            warnings.add("quarkus.http.proxy.proxy-address-forwarding is on, but no proxy is trusted, so that callers could"
                    + " choose their address. Rate limits count the address of the connection. Set"
                    + " quarkus.http.proxy.trusted-proxies, or quarkus.rate-limit.proxy-hops to the number of proxies.");
        }
        if (forwarding.proxies().containCallers()) {
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
}
