package io.quarkiverse.ratelimit.runtime.admin;

import java.util.Set;

import io.quarkiverse.ratelimit.runtime.vertx.IpText;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticator;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.mutiny.Uni;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;

/**
 * Restricts the administration of limits to callers with a role. Without configured roles, everybody on the management
 * interface and in dev mode has access, and otherwise nobody.
 *
 * @param open whether everybody has access if there are no roles
 * @param hosts the names of the management interface
 */
record Access(Set<String> roles, boolean open, Set<String> hosts) {

    /** Then the Dev UI shows the page, which can acquire. Without roles, everybody has access. */
    static final boolean LOCAL_DEVELOPMENT = LaunchMode.current().isDev() && !LaunchMode.current().isRemoteDev();

    /** Stands for every role: any authenticated caller has access. */
    private static final String ANY_ROLE = "**";

    private static final Problem UNAUTHENTICATED = new Problem(401, "The request is not authenticated.");
    private static final Problem FORBIDDEN = new Problem(403,
            "The caller has none of the roles in quarkus.rate-limit.admin.roles-allowed.");
    private static final Problem FOREIGN_HOST = new Problem(403, "The name of the host is not known. Use an IP address or"
            + " localhost, or add the name to quarkus.rate-limit.admin.hosts.");

    /** Fails where the caller has no access. */
    Uni<Void> check(RoutingContext routing) {
        if (roles.isEmpty()) {
            return !open ? Uni.createFrom().failure(FORBIDDEN)
                    : isOwnHost(routing.request().authority()) ? Uni.createFrom().voidItem()
                            : Uni.createFrom().failure(FOREIGN_HOST);
        }
        HttpAuthenticator authenticator = authenticator(routing);
        if (authenticator == null) {
            return Uni.createFrom().failure(UNAUTHENTICATED);
        }
        return QuarkusHttpUser.getSecurityIdentity(routing, authenticator.getIdentityProviderManager())
                .invoke(this::require).replaceWithVoid();
    }

    /**
     * Whether the host of a request may be that of the management interface, or of dev mode. Any site can let its own name
     * resolve to this address, and the browser of an operator then takes the interface for a part of that site. It cannot do
     * so with an address.
     */
    private boolean isOwnHost(HostAndPort authority) {
        if (authority == null) {
            return false;
        }
        String host = authority.host();
        return host.startsWith("[") || IpText.ipv4(host) != null || host.equalsIgnoreCase("localhost")
                || hosts.stream().anyMatch(host::equalsIgnoreCase);
    }

    void require(SecurityIdentity identity) {
        if (identity == null || identity.isAnonymous()) {
            throw new UnauthorizedException();
        }
        if (!roles.contains(ANY_ROLE) && roles.stream().noneMatch(identity::hasRole)) {
            throw FORBIDDEN;
        }
    }

    /** Whether the caller has to authenticate first. */
    static boolean isUnauthenticated(Throwable failure) {
        return failure instanceof UnauthorizedException || failure instanceof AuthenticationFailedException;
    }

    /** Sends the challenge of the application's authentication, such as the one that makes a browser show a form. */
    static void challenge(RoutingContext routing) {
        authenticator(routing).sendChallenge(routing).subscribe().with(sent -> {
            if (!routing.response().ended()) {
                UNAUTHENTICATED.sendBody(routing.response());
            }
        }, routing::fail);
    }

    private static HttpAuthenticator authenticator(RoutingContext routing) {
        return routing.get(HttpAuthenticator.class.getName());
    }
}
