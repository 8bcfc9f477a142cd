package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.quarkus.vertx.http.runtime.ForwardedInfo;
import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/** Finds the address of the caller of a request, which may be behind trusted proxies. */
public final class CallerAddresses {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final Forwarding forwarding;
    private final boolean forwardingTrustsEverySender;
    private final boolean proxyProtocol;
    private final AddressForm form;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param proxy the proxy configuration of Quarkus
     * @param trustedProxies the value of {@code quarkus.http.proxy.trusted-proxies}, which {@code proxy} does not expose
     */
    public CallerAddresses(ProxyConfig proxy, List<String> trustedProxies, AddressForm form) {
        this.forwarding = proxy.proxyAddressForwarding() ? forwarding(proxy, trustedProxies) : Forwarding.NONE;
        this.forwardingTrustsEverySender = proxy.proxyAddressForwarding() && forwarding.proxies().isEmpty();
        this.proxyProtocol = proxy.useProxyProtocol();
        this.form = form;
    }

    private static Forwarding forwarding(ProxyConfig proxy, List<String> trustedProxies) {
        return new Forwarding(TrustedProxies.of(trustedProxies), proxy.allowForwarded(),
                proxy.allowXForwarded().orElse(!proxy.allowForwarded()), proxy.strictForwardedControl(),
                switch (proxy.forwardedPrecedence()) {
                    case FORWARDED -> ForwardingHeader.FORWARDED;
                    case X_FORWARDED -> ForwardingHeader.X_FORWARDED_FOR;
                });
    }

    /**
     * Whether Quarkus reads forwarding headers from any sender because forwarding is on without trusted proxies. This
     * class ignores such headers.
     */
    public boolean forwardingTrustsEverySender() {
        return forwardingTrustsEverySender;
    }

    /** The address as keys contain it; {@code null} if it is unknown. */
    String text(HttpServerRequest request) {
        byte[] exact = exact(request);
        return exact == null ? null : form.of(exact);
    }

    /** The address, 4 or 16 bytes; {@code null} if it is unknown or uncertain. */
    byte[] certain(HttpServerRequest request) {
        byte[] exact = exact(request);
        return isForwardedByUntrusted(request) ? null : exact;
    }

    private byte[] exact(HttpServerRequest request) {
        if (!warned.get() && forwarding.proxies().isEmpty() && isForwardedByUntrusted(request)
                && warned.compareAndSet(false, true)) {
            LOG.warn("A request came with X-Forwarded-For or Forwarded, which is ignored because no proxy is trusted: callers"
                    + " behind the proxy that sent it share one address. Set quarkus.http.proxy.proxy-address-forwarding=true"
                    + " and quarkus.http.proxy.trusted-proxies to the proxy's address.");
        }
        Hop peer = peer(request.connection().remoteAddress());
        if (peer == null) {
            return null;
        }
        return isTrusted(peer, request) ? forwarding.callerBehind(peer, request.headers()) : peer.address();
    }

    /**
     * Whether a request has a forwarding header from an untrusted sender, or only headers that are not enabled. In both
     * cases its address may be the address of a proxy.
     */
    private boolean isForwardedByUntrusted(HttpServerRequest request) {
        if (proxyProtocol || !ForwardingHeader.isIn(request.headers())) {
            return false;
        }
        Hop peer = peer(request.connection().remoteAddress());
        return peer == null || !isTrusted(peer, request) || !forwarding.reads(request.headers());
    }

    /** The peer of the connection. Quarkus may replace the remote address of the request, but not of the connection. */
    static Hop peer(SocketAddress peer) {
        if (peer == null || peer.isDomainSocket()) {
            return null;
        }
        byte[] address = IpLiteral.parse(peer.hostAddress() == null ? peer.host() : peer.hostAddress());
        return address == null ? null : new Hop(address, peer.port());
    }

    private boolean isTrusted(Hop peer, HttpServerRequest request) {
        TrustedProxies proxies = forwarding.proxies();
        return proxies.contains(peer.address(), peer.port()) || proxies.hasHostNames() && quarkusTrustsPeer(request);
    }

    /** Quarkus resolves trusted host names before it dispatches a request. It sets this key if the peer is one of them. */
    private static boolean quarkusTrustsPeer(HttpServerRequest request) {
        request.remoteAddress();
        return ServedRequest.contextOf(request).getLocal(ForwardedInfo.CONTEXT_KEY) != null;
    }
}
