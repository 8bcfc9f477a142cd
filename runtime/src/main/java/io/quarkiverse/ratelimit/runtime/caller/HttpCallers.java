package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.ProxyConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;

/** Finds the sender of each HTTP request, using the trusted proxies and the address format of the application. */
public final class HttpCallers {

    private static final String CALLER = HttpCaller.class.getName();

    private final SenderAddresses addresses;
    private final AddressForm form;

    /**
     * @param proxy the proxy configuration of Quarkus
     * @param trustedProxies the value of {@code quarkus.http.proxy.trusted-proxies}, which {@code proxy} does not expose
     */
    public HttpCallers(ProxyConfig proxy, List<String> trustedProxies, AddressForm form) {
        this.addresses = new SenderAddresses(proxy, trustedProxies);
        this.form = form;
    }

    /** The sender of a request. Every call for the same request returns the same instance. */
    public HttpCaller of(RoutingContext context) {
        HttpCaller caller = context.get(CALLER);
        if (caller == null) {
            caller = new HttpCaller(context, this);
            context.put(CALLER, caller);
        }
        return caller;
    }

    /**
     * The sender of a request that is not routed any more, such as the handshake of a WebSocket connection.
     *
     * @param identity the identity of the request; {@code null} for an application without security
     */
    public HttpCaller of(HttpServerRequest request, Uni<SecurityIdentity> identity) {
        return new HttpCaller(request, () -> identity == null ? Uni.createFrom().nullItem() : identity, this);
    }

    /**
     * Whether Quarkus reads forwarding headers from any sender because forwarding is on without trusted proxies. The
     * limiter ignores such headers.
     */
    public boolean forwardingTrustsAnybody() {
        return addresses.forwardingTrustsAnybody();
    }

    /** The address as keys contain it; {@code null} if it is unknown. */
    String addressOf(HttpServerRequest request) {
        SocketAddress peer = request.connection().remoteAddress();
        String text = peer == null ? null : peer.hostAddress();
        if (text != null && text.indexOf(':') < 0 && !isForwarded(request)) {
            // an IPv4 address without a proxy, as Java formats it
            return text;
        }
        byte[] exact = addresses.of(request);
        return exact == null ? null : form.of(exact);
    }

    /** Whether a request has a header that proxies send. */
    static boolean isForwarded(HttpServerRequest request) {
        return request.headers().contains(ForwardingHeader.X_FORWARDED_FOR.header)
                || request.headers().contains(ForwardingHeader.FORWARDED.header);
    }

    /** The address, 4 or 16 bytes; {@code null} if it is unknown or uncertain. */
    byte[] certainAddressOf(HttpServerRequest request) {
        byte[] exact = addresses.of(request);
        return addresses.isForwardedByStranger(request) ? null : exact;
    }
}
