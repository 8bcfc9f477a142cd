package io.quarkiverse.ratelimit.runtime.caller;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.vertx.CookieHeader;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;

/** Gives access to the attributes of an HTTP request's sender. Computes each attribute on first use. */
public final class HttpCaller implements Caller {

    private static final String CALLER = HttpCaller.class.getName();

    private final HttpServerRequest request;
    private final UnaryOperator<String> queryParameters;
    private final SenderAddresses addresses;
    private final Supplier<Uni<SecurityIdentity>> authentication;
    /** {@code null} as long as nothing needs the identity. */
    private volatile IdentifiedCaller identified;
    private UnaryOperator<String> pathParameters;
    private volatile boolean resolved;
    private String address;
    /** The cost that routes have charged for this request, by policy and key; {@code null} for none. */
    private Map<String, Long> charged;

    private HttpCaller(RoutingContext routing, SenderAddresses addresses) {
        this.authentication = () -> QuarkusHttpUser.getSecurityIdentity(routing, null);
        this.request = routing.request();
        this.queryParameters = name -> routing.queryParams().get(name);
        this.pathParameters = routing::pathParam;
        this.addresses = addresses;
    }

    private HttpCaller(HttpServerRequest request, Supplier<Uni<SecurityIdentity>> identity, SenderAddresses addresses) {
        this.authentication = identity;
        this.request = request;
        this.queryParameters = request::getParam;
        this.pathParameters = name -> null;
        this.addresses = addresses;
    }

    /** The sender of a request. Every call for the same request returns the same instance. */
    public static HttpCaller of(RoutingContext routing, SenderAddresses addresses) {
        HttpCaller caller = routing.get(CALLER);
        if (caller == null) {
            caller = new HttpCaller(routing, addresses);
            routing.put(CALLER, caller);
        }
        return caller;
    }

    /**
     * The sender of a request that is not routed any more, such as the handshake of a WebSocket connection.
     *
     * @param identity the identity of the request; {@code null} for an application without security
     */
    public static HttpCaller of(HttpServerRequest request, Uni<SecurityIdentity> identity, SenderAddresses addresses) {
        return new HttpCaller(request, () -> identity == null ? Uni.createFrom().nullItem() : identity, addresses);
    }

    /** Sets the function that returns the path parameters of the resource method. */
    public HttpCaller at(UnaryOperator<String> pathParameters) {
        this.pathParameters = pathParameters;
        return this;
    }

    @Override
    public String address() {
        if (!resolved) {
            address = findAddress();
            resolved = true;
        }
        return address;
    }

    private String findAddress() {
        SocketAddress peer = request.connection().remoteAddress();
        String text = peer == null ? null : peer.hostAddress();
        boolean direct = text != null && text.indexOf(':') < 0 && !isForwarded(request);
        // Java formats an IPv4 address as keys contain it
        return direct ? text : addresses.text(request);
    }

    /** Whether a request has a header that proxies send. */
    static boolean isForwarded(HttpServerRequest request) {
        return request.headers().contains(ForwardingHeader.X_FORWARDED_FOR.header)
                || request.headers().contains(ForwardingHeader.FORWARDED.header);
    }

    /** The address is uncertain if the request has forwarding headers that the configuration does not trust. */
    @Override
    public boolean isFrom(List<CidrAddress> blocks) {
        byte[] exact = addresses.certain(request);
        return exact != null && blocks.stream().anyMatch(block -> block.matches(exact));
    }

    @Override
    public Uni<SecurityIdentity> identity() {
        synchronized (this) {
            if (identified == null) {
                identified = new IdentifiedCaller(authentication);
            }
        }
        return identified.identity();
    }

    @Override
    public String principal() {
        return identified == null ? null : identified.principal();
    }

    @Override
    public String claim(String name) {
        return identified == null ? null : identified.claim(name);
    }

    @Override
    public boolean hasRole(String role) {
        return identified != null && identified.hasRole(role);
    }

    @Override
    public String header(String name) {
        return request.getHeader(name);
    }

    /** Reads the header itself: Vert.x keeps only one of several cookies with the same name, and not the first. */
    @Override
    public String cookie(String name) {
        for (String header : request.headers().getAll(HttpHeaders.COOKIE)) {
            String value = CookieHeader.value(header, name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    @Override
    public String query(String name) {
        try {
            return queryParameters.apply(name);
        } catch (RuntimeException malformed) {
            return null;
        }
    }

    @Override
    public String path(String name) {
        return pathParameters.apply(name);
    }

    @Override
    public void charge(String policy, String key, long cost) {
        if (charged == null) {
            charged = new HashMap<>();
        }
        charged.merge(policy + ' ' + key, cost, Long::sum);
    }

    @Override
    public long charged(String policy, String key) {
        return charged == null ? 0 : charged.getOrDefault(policy + ' ' + key, 0L);
    }
}
