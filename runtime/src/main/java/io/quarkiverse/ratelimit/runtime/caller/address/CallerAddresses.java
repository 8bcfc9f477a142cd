package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import org.jboss.logging.Logger;

import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/** Finds the address of the caller of a request, which may be behind proxies. */
public final class CallerAddresses {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final VertxHttpConfig http;
    private final Forwarding forwarding;
    private final AddressForm form;
    private final Predicate<String> frameworkPaths;
    /** True if the sender of a request without forwarding headers is always the caller. */
    private final boolean direct;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param http the configuration of Quarkus
     * @param trustedProxies the value of {@code quarkus.http.proxy.trusted-proxies}, which {@code http} does not expose
     * @param addressHeader the value of {@code quarkus.rate-limit.address-header}; {@code null} for none
     * @param proxyHops the value of {@code quarkus.rate-limit.proxy-hops}; if not 0, trusted proxies have no effect
     * @param frameworkPaths the paths that load balancers request to check the application
     */
    public CallerAddresses(VertxHttpConfig http, List<String> trustedProxies, String addressHeader, int proxyHops,
            AddressForm form, Predicate<String> frameworkPaths) {
        this.http = http;
        this.forwarding = Forwarding.of(http.proxy(), trustedProxies, addressHeader, proxyHops);
        this.form = form;
        this.frameworkPaths = frameworkPaths;
        this.direct = proxyHops == 0 && forwarding.proxies().areNone();
    }

    /** Returns why addresses may be wrong or missing with this configuration, each with the remedy. */
    public List<String> warnings() {
        return forwarding.warnings(http);
    }

    /** Returns the address as keys contain it; {@code null} if it is unknown. */
    public String text(HttpServerRequest request) {
        SocketAddress peer = request.connection().remoteAddress();
        String literal = peer == null ? null : peer.hostAddress();
        if (direct && literal != null && literal.indexOf(':') < 0 && !hasForwardingHeader(request)) {
            // keys contain an IPv4 address exactly as Java formats it
            return literal;
        }
        byte[] address = find(request).address;
        return address == null ? null : form.format(address);
    }

    /** Returns the address, 4 or 16 bytes; {@code null} if it is unknown or uncertain. */
    public byte[] certain(HttpServerRequest request) {
        Found found = find(request);
        return found.certain ? found.address : null;
    }

    /**
     * @param address {@code null} if it is unknown
     * @param certain {@code false} if it may be the address of a proxy, or if the caller may have chosen it
     */
    private record Found(byte[] address, boolean certain) {
    }

    private Found find(HttpServerRequest request) {
        byte[] peer = peer(request.connection().remoteAddress());
        boolean byHops = forwarding.hops() > 0;
        boolean trusted = byHops || peer != null && isTrusted(peer, request);
        byte[] address = trusted ? forwarding.callerBehind(peer, request.headers()) : peer;
        boolean read = forwarding.hasAddressHeader(request.headers()) || !forwarding.readFrom(request.headers()).isEmpty();
        // the sender is not trusted, or has sent only a header that is not enabled
        boolean ignored = (read || hasForwardingHeader(request))
                && !(byHops || http.proxy().useProxyProtocol() || trusted && read);
        if (trusted && (address == null || address == peer)) {
            if (!frameworkPaths.test(request.path())) {
                warnOnce(forwarding.missingAddress());
            }
        } else if (ignored && forwarding.proxies().areNone()) {
            warnOnce(Forwarding.IGNORED_HEADER);
        }
        return new Found(address == null ? null : IpAddress.untranslated(address),
                !ignored && !forwarding.proxies().containCallers());
    }

    private void warnOnce(String warning) {
        if (warned.compareAndSet(false, true)) {
            LOG.warn(warning);
        }
    }

    private static boolean hasForwardingHeader(HttpServerRequest request) {
        return request.headers().contains(ForwardingHeader.X_FORWARDED_FOR.header)
                || request.headers().contains(ForwardingHeader.FORWARDED.header);
    }

    /** Returns the peer of the connection. Quarkus may replace the remote address of the request, but not of the connection. */
    static byte[] peer(SocketAddress peer) {
        if (peer == null || peer.isDomainSocket()) {
            return null;
        }
        return IpAddress.parse(peer.hostAddress() == null ? peer.host() : peer.hostAddress());
    }

    private boolean isTrusted(byte[] peer, HttpServerRequest request) {
        TrustedProxies proxies = forwarding.proxies();
        return proxies.contain(peer) || proxies.hasOthers() && QuarkusForwarding.trustsPeer(request);
    }
}
