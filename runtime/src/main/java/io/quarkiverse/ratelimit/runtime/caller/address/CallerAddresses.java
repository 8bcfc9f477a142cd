package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.quarkus.vertx.http.runtime.ForwardedInfo;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/** Finds the address of the caller of a request, which may be behind proxies. */
public final class CallerAddresses {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final VertxHttpConfig http;
    private final Forwarding forwarding;
    private final AddressForm form;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param http the configuration of Quarkus
     * @param trustedProxies the value of {@code quarkus.http.proxy.trusted-proxies}, which {@code http} does not expose
     * @param proxyHops the value of {@code quarkus.rate-limit.proxy-hops}; if not 0, trusted proxies have no effect
     */
    public CallerAddresses(VertxHttpConfig http, List<String> trustedProxies, int proxyHops, AddressForm form) {
        this.http = http;
        this.forwarding = Forwarding.of(http.proxy(), trustedProxies, proxyHops);
        this.form = form;
    }

    /** Why addresses may be wrong or missing with this configuration, each with the remedy. */
    public List<String> warnings() {
        return forwarding.warnings(http);
    }

    /** The address as keys contain it; {@code null} if it is unknown. */
    public String text(HttpServerRequest request) {
        SocketAddress peer = request.connection().remoteAddress();
        String literal = peer == null ? null : peer.hostAddress();
        if (literal != null && literal.indexOf(':') < 0 && forwarding.hops() == 0
                && !hasForwardingHeader(request)) {
            // keys contain an IPv4 address exactly as Java formats it
            return literal;
        }
        byte[] exact = exact(request);
        return exact == null ? null : form.format(exact);
    }

    /** The address, 4 or 16 bytes; {@code null} if it is unknown or uncertain. */
    public byte[] certain(HttpServerRequest request) {
        byte[] exact = exact(request);
        return forwarding.proxies().containCallers() || isForwardedByUntrusted(request) ? null : exact;
    }

    private byte[] exact(HttpServerRequest request) {
        Hop peer = peer(request.connection().remoteAddress());
        boolean forwarded = forwarding.hops() > 0 || peer != null && isTrusted(peer, request);
        byte[] address = forwarded ? forwarding.callerBehind(peer, request.headers()) : peer == null ? null : peer.address();
        if (!warned.get()) {
            warnOnce(request, address);
        }
        return address == null ? null : IpAddress.untranslated(address);
    }

    private void warnOnce(HttpServerRequest request, byte[] address) {
        boolean missing = forwarding.hops() > 0 && address == null;
        boolean ignored = forwarding.proxies().areNone() && isForwardedByUntrusted(request);
        if ((missing || ignored) && warned.compareAndSet(false, true)) {
            LOG.warn(missing ? forwarding.missingAddress() : Forwarding.IGNORED_HEADER);
        }
    }

    /**
     * Whether a request has a forwarding header from an untrusted sender, or only headers that are not enabled. In both
     * cases its address may be the address of a proxy.
     */
    private boolean isForwardedByUntrusted(HttpServerRequest request) {
        if (forwarding.hops() > 0 || http.proxy().useProxyProtocol() || !hasForwardingHeader(request)) {
            return false;
        }
        Hop peer = peer(request.connection().remoteAddress());
        return peer == null || !isTrusted(peer, request) || !forwarding.reads(request.headers());
    }

    private static boolean hasForwardingHeader(HttpServerRequest request) {
        return request.headers().contains(ForwardingHeader.X_FORWARDED_FOR.header)
                || request.headers().contains(ForwardingHeader.FORWARDED.header);
    }

    /** The peer of the connection. Quarkus may replace the remote address of the request, but not of the connection. */
    static Hop peer(SocketAddress peer) {
        if (peer == null || peer.isDomainSocket()) {
            return null;
        }
        byte[] address = IpAddress.parse(peer.hostAddress() == null ? peer.host() : peer.hostAddress());
        return address == null ? null : new Hop(address, peer.port());
    }

    private boolean isTrusted(Hop peer, HttpServerRequest request) {
        TrustedProxies proxies = forwarding.proxies();
        return proxies.contain(peer) || proxies.hasHostNames() && quarkusTrustsPeer(request);
    }

    /** Quarkus resolves trusted host names before it dispatches a request. It sets this key if the peer is one of them. */
    private static boolean quarkusTrustsPeer(HttpServerRequest request) {
        request.remoteAddress();
        return ServedRequest.contextOf(request).getLocal(ForwardedInfo.CONTEXT_KEY) != null;
    }
}
