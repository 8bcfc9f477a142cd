package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkus.vertx.http.runtime.ForwardedInfo;
import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerRequestInternal;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;

/** Says who sends an application's requests, by its proxies and the way it counts addresses. */
public final class HttpCallers {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final String CALLER = HttpCaller.class.getName();

    private final Forwarding forwarding;
    private final AddressForm addresses;
    private final boolean forwardingTrustsAnybody;
    private final boolean proxyProtocol;
    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * @param proxy how Quarkus treats proxies
     * @param trustedProxies the text of {@code quarkus.http.proxy.trusted-proxies}, which {@code proxy} keeps to itself
     */
    public HttpCallers(ProxyConfig proxy, List<String> trustedProxies, AddressForm addresses) {
        this.forwarding = proxy.proxyAddressForwarding() ? forwarding(proxy, trustedProxies) : Forwarding.NONE;
        this.addresses = addresses;
        this.forwardingTrustsAnybody = proxy.proxyAddressForwarding() && forwarding.proxies().isEmpty();
        this.proxyProtocol = proxy.useProxyProtocol();
    }

    private static Forwarding forwarding(ProxyConfig proxy, List<String> trustedProxies) {
        return new Forwarding(TrustedProxies.of(trustedProxies), proxy.allowForwarded(),
                proxy.allowXForwarded().orElse(!proxy.allowForwarded()), proxy.strictForwardedControl(),
                switch (proxy.forwardedPrecedence()) {
                    case FORWARDED -> ForwardingHeader.FORWARDED;
                    case X_FORWARDED -> ForwardingHeader.X_FORWARDED_FOR;
                });
    }

    /** The sender of a request, one and the same on all its way through the application. */
    public HttpCaller of(RoutingContext context) {
        HttpCaller caller = context.get(CALLER);
        if (caller == null) {
            caller = new HttpCaller(context, this);
            context.put(CALLER, caller);
        }
        return caller;
    }

    /**
     * Whether Quarkus reads forwarding headers of anybody, since forwarding is on without trusted proxies. Such headers
     * do not count here.
     */
    public boolean forwardingTrustsAnybody() {
        return forwardingTrustsAnybody;
    }

    AddressForm addresses() {
        return addresses;
    }

    /** The caller's address, {@code null} when it is not known. */
    byte[] addressOf(HttpServerRequest request) {
        if (!warned.get() && forwarding.proxies().isEmpty() && isForwardedByStranger(request)
                && warned.compareAndSet(false, true)) {
            LOG.warn("A request came with X-Forwarded-For or Forwarded, which does not count as no proxy is trusted: callers"
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
     * Whether a request was forwarded, but by a proxy or in a header that the configuration does not know: then its address
     * may be a proxy's.
     */
    boolean isForwardedByStranger(HttpServerRequest request) {
        if (proxyProtocol || !isForwarded(request)) {
            return false;
        }
        Hop peer = peer(request.connection().remoteAddress());
        return peer == null || !isTrusted(peer, request) || !forwarding.reads(request.headers());
    }

    private static boolean isForwarded(HttpServerRequest request) {
        return request.headers().contains(ForwardingHeader.X_FORWARDED_FOR.header)
                || request.headers().contains(ForwardingHeader.FORWARDED.header);
    }

    /** The other end of the connection; the connection knows it even where Quarkus has replaced the request's. */
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

    /** Quarkus looks up host names before it hands out a request, and leaves this mark when the peer is one of them. */
    private static boolean quarkusTrustsPeer(HttpServerRequest request) {
        request.remoteAddress();
        return ((HttpServerRequestInternal) request).context().getLocal(ForwardedInfo.CONTEXT_KEY) != null;
    }
}
