package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.util.Set;

import io.quarkiverse.ratelimit.runtime.caller.address.QuarkusForwarding;
import io.quarkiverse.ratelimit.runtime.platform.vertx.IpText;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticator;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;

/**
 * Restricts the administration of limits to callers with a role. Without configured roles, everybody on the management
 * interface and in dev mode has access, and otherwise nobody.
 *
 * @param open whether everybody has access if there are no roles
 * @param hosts names of the management interface
 */
record Access(Set<String> roles, boolean open, Set<String> hosts) {

    /** Dev mode on this machine: the Dev UI shows the page, the page can acquire, and without roles everybody has access. */
    static final boolean LOCAL_DEVELOPMENT = LaunchMode.current().isDev() && !LaunchMode.current().isRemoteDev();

    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private static final String UNAUTHENTICATED = "The request is not authenticated.";
    private static final Problem FORBIDDEN = new Problem(403,
            "The caller has none of the roles in quarkus.rate-limit.admin.roles-allowed.");
    private static final Problem FOREIGN_HOST = new Problem(403, "The name of the host is not known. Use an IP address or"
            + " localhost, or add the name to quarkus.rate-limit.admin.hosts.");
    private static final Problem FORWARDED_HOST = new Problem(403, "The name of the host comes from a header that every page"
            + " can send, because of quarkus.management.proxy.* or, in dev mode, quarkus.http.proxy.*. Set"
            + " quarkus.rate-limit.admin.roles-allowed, or send the request without X-Forwarded-Host and Forwarded.");

    /** Returns the name of the operator, which is empty without a login. Fails where the caller has no access. */
    Uni<String> check(RoutingContext routing) {
        if (roles.isEmpty()) {
            Problem problem = problem(routing.request());
            return problem == null ? Uni.createFrom().item("") : Uni.createFrom().failure(problem);
        }
        HttpAuthenticator authenticator = authenticator(routing);
        return authenticator == null ? Uni.createFrom().failure(new Problem(401, UNAUTHENTICATED))
                : QuarkusHttpUser.getSecurityIdentity(routing, authenticator.getIdentityProviderManager())
                        .invoke(this::require).map(identity -> identity.getPrincipal().getName());
    }

    /**
     * Returns why nobody has access without a role; {@code null} if everybody has. The host must be able to be that of the
     * management interface, or of dev mode. Any site can let its own name resolve to this address, and the browser of an
     * operator then takes the interface for a part of that site. It cannot do so with an address.
     */
    private Problem problem(HttpServerRequest request) {
        if (!open) {
            return FORBIDDEN;
        }
        if (QuarkusForwarding.mayNameHost(request)) {
            return FORWARDED_HOST;
        }
        HostAndPort authority = request.authority();
        String host = authority == null ? "" : authority.host();
        return IpText.ipv4(host) != null || IpText.ipv6(host) != null || host.equalsIgnoreCase("localhost")
                || hosts.stream().anyMatch(host::equalsIgnoreCase) ? null : FOREIGN_HOST;
    }

    void require(SecurityIdentity identity) {
        if (identity == null || identity.isAnonymous()) {
            throw new UnauthorizedException();
        }
        // two asterisks stand for every role: any authenticated caller has access
        if (!roles.contains("**") && roles.stream().noneMatch(identity::hasRole)) {
            throw FORBIDDEN;
        }
    }

    /**
     * Returns whether a page of another origin sends the request with the rights of the browser's user. Browsers send
     * {@code Sec-Fetch-Site}, or otherwise {@code Origin}. Other clients send neither.
     */
    static boolean isForeign(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return site != null ? !OWN_SITES.contains(site)
                : origin != null && !origin.substring(Math.max(0, origin.indexOf("://")))
                        .equalsIgnoreCase("://" + request.authority());
    }

    /** Sends the challenge of the application's authentication, such as the one that makes a browser show a form. */
    static void challenge(RoutingContext routing) {
        HttpServerResponse response = routing.response();
        authenticator(routing).sendChallenge(routing).subscribe()
                .with(sent -> new Problem(response.getStatusCode(), UNAUTHENTICATED).send(response), routing::fail);
    }

    private static HttpAuthenticator authenticator(RoutingContext routing) {
        return routing.get(HttpAuthenticator.class.getName());
    }
}
