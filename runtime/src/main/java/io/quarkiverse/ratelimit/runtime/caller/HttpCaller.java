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
import io.vertx.ext.web.RoutingContext;

/** Gives access to the attributes of an HTTP request's sender. Computes each attribute on first use. */
public final class HttpCaller implements Caller {

    private final HttpServerRequest request;
    private final UnaryOperator<String> queryParameters;
    private final HttpCallers callers;
    private final Supplier<Uni<SecurityIdentity>> authentication;
    /** {@code null} as long as nothing needs the identity. */
    private volatile IdentifiedCaller identified;
    private UnaryOperator<String> pathParameters;
    private volatile boolean resolved;
    private String address;
    private Map<String, Long> charged;

    HttpCaller(RoutingContext routing, HttpCallers callers) {
        this.authentication = () -> QuarkusHttpUser.getSecurityIdentity(routing, null);
        this.request = routing.request();
        this.queryParameters = name -> routing.queryParams().get(name);
        this.pathParameters = routing::pathParam;
        this.callers = callers;
    }

    HttpCaller(HttpServerRequest request, Supplier<Uni<SecurityIdentity>> identity, HttpCallers callers) {
        this.authentication = identity;
        this.request = request;
        this.queryParameters = request::getParam;
        this.pathParameters = name -> null;
        this.callers = callers;
    }

    /** Sets the function that returns the path parameters of the resource method. */
    public HttpCaller at(UnaryOperator<String> pathParameters) {
        this.pathParameters = pathParameters;
        return this;
    }

    @Override
    public String address() {
        if (!resolved) {
            address = callers.addressOf(request);
            resolved = true;
        }
        return address;
    }

    /** The address is uncertain if the request has forwarding headers that the configuration does not trust. */
    @Override
    public boolean isFrom(List<CidrAddress> blocks) {
        byte[] exact = callers.certainAddressOf(request);
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
