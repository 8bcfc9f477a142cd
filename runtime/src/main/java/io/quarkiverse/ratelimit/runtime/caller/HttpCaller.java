package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.platform.vertx.ServedRequest;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.common.net.CidrAddress;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/** Gives access to the attributes of the caller of an HTTP request. Keeps the text of the address. */
public class HttpCaller implements Caller {

    private final HttpServerRequest request;
    /** {@code null} for a request that is no longer routed. */
    private final RoutingContext routing;
    private final CallerAddresses addresses;
    private final UnaryOperator<String> pathParameters;
    /** Identity of a handshake; {@code null} for other requests, or without security. */
    private final Uni<SecurityIdentity> handshakeIdentity;
    private volatile SecurityIdentity identity;
    private String address;
    /** Charges of routes, as policy and key, and exemptions of the caller, as policy only; {@code null} for none. */
    private Set<String> recorded;

    public HttpCaller(RoutingContext routing, CallerAddresses addresses, UnaryOperator<String> pathParameters) {
        this.request = routing.request();
        this.routing = routing;
        this.addresses = addresses;
        this.pathParameters = pathParameters;
        this.handshakeIdentity = null;
    }

    /**
     * Creates the caller of the handshake of a WebSocket connection, which is not routed any more.
     *
     * @param identity the identity of the request; {@code null} for an application without security
     */
    public HttpCaller(HttpServerRequest request, Uni<SecurityIdentity> identity, CallerAddresses addresses,
            UnaryOperator<String> pathParameters) {
        this.request = request;
        this.routing = null;
        this.addresses = addresses;
        this.pathParameters = pathParameters;
        this.handshakeIdentity = identity;
    }

    @Override
    public String address() {
        if (address == null) {
            address = addresses.text(request);
        }
        return address;
    }

    /**
     * Returns false if the address is uncertain, because the configuration does not trust the sender, or trusts every sender.
     */
    @Override
    public boolean isFrom(List<CidrAddress> networks) {
        byte[] exact = addresses.certain(request);
        return exact != null && networks.stream().anyMatch(network -> network.matches(exact));
    }

    @Override
    public String header(String name) {
        String value = request.getHeader(name);
        return value == null || value.chars().allMatch(c -> c < 0x80) ? value : decoded(value);
    }

    /**
     * Decodes a header as UTF-8. Vert.x reads bytes as ISO-8859-1, but clients write UTF-8. What is not valid UTF-8 stays as it
     * is.
     */
    private static String decoded(String header) {
        try {
            return UTF_8.newDecoder().decode(ISO_8859_1.newEncoder().encode(CharBuffer.wrap(header))).toString();
        } catch (CharacterCodingException notUtf8) {
            return header;
        }
    }

    /** Reads the header itself: Vert.x keeps only one of several cookies with the same name, and not the first. */
    @Override
    public String cookie(String name) {
        return ServedRequest.cookie(request.headers().getAll(HttpHeaders.COOKIE), name);
    }

    @Override
    public String query(String name) {
        try {
            return routing == null ? request.getParam(name) : routing.queryParams().get(name);
        } catch (RuntimeException malformed) {
            return null;
        }
    }

    @Override
    public String path(String name) {
        return pathParameters.apply(name);
    }

    /** Authenticates the caller, but only on subscription. */
    @Override
    public Uni<SecurityIdentity> identity() {
        return Uni.createFrom().deferred(this::authentication).invoke(known -> identity = known);
    }

    private Uni<SecurityIdentity> authentication() {
        return routing != null ? QuarkusHttpUser.getSecurityIdentity(routing, null)
                : handshakeIdentity != null ? handshakeIdentity : Uni.createFrom().nullItem();
    }

    @Override
    public SecurityIdentity knownIdentity() {
        return identity;
    }

    /** Returns whether the caller is known to be authenticated, also by something else, such as {@code @Authenticated}. */
    @Override
    public boolean isAuthenticated() {
        return principal() != null
                || routing != null && routing.user() instanceof QuarkusHttpUser user
                        && !user.getSecurityIdentity().isAnonymous();
    }

    @Override
    public void recordCharge(String policy, String key) {
        add(policy + ' ' + key);
    }

    @Override
    public boolean isCharged(String policy, String key) {
        return recorded != null && recorded.contains(policy + ' ' + key);
    }

    @Override
    public boolean recordExemption(String policy) {
        return add(policy);
    }

    private boolean add(String record) {
        recorded = recorded == null ? new HashSet<>(2) : recorded;
        return recorded.add(record);
    }
}
