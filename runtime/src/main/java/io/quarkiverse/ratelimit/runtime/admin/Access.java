package io.quarkiverse.ratelimit.runtime.admin;

import java.util.Set;

import io.quarkiverse.ratelimit.runtime.vertx.IpText;
import io.quarkiverse.ratelimit.runtime.vertx.ServedRequest;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.vertx.http.runtime.ForwardedInfo;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticator;
import io.quarkus.vertx.http.runtime.security.QuarkusHttpUser;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
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
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private static final Problem UNAUTHENTICATED = new Problem(401, "The request is not authenticated.");
    private static final Problem FORBIDDEN = new Problem(403,
            "The caller has none of the roles in quarkus.rate-limit.admin.roles-allowed.");
    private static final Problem FOREIGN_HOST = new Problem(403, "The name of the host is not known. Use an IP address or"
            + " localhost, or add the name to quarkus.rate-limit.admin.hosts.");
    private static final Problem FORWARDED_HOST = new Problem(403, "The name of the host comes from a header that every page"
            + " can send, because of quarkus.management.proxy.* or, in dev mode, quarkus.http.proxy.*. Set"
            + " quarkus.rate-limit.admin.roles-allowed, or send the request without X-Forwarded-Host and Forwarded.");

    /** Fails where the caller has no access. */
    Uni<Void> check(RoutingContext routing) {
        if (roles.isEmpty()) {
            Problem problem = !open ? FORBIDDEN : hostProblem(routing.request());
            return problem == null ? Uni.createFrom().voidItem() : Uni.createFrom().failure(problem);
        }
        HttpAuthenticator authenticator = authenticator(routing);
        if (authenticator == null) {
            return Uni.createFrom().failure(UNAUTHENTICATED);
        }
        return QuarkusHttpUser.getSecurityIdentity(routing, authenticator.getIdentityProviderManager())
                .invoke(this::require).replaceWithVoid();
    }

    /**
     * What is wrong with a host that cannot be that of the management interface, or of dev mode; {@code null} if it can be. Any
     * site can let its own name resolve to this address, and the browser of an operator then takes the interface for a part of
     * that site. It cannot do so with an address.
     */
    private Problem hostProblem(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (isHostForwarded(request)) {
            return FORWARDED_HOST;
        }
        String host = authority == null ? "" : authority.host();
        return IpText.ipv4(host) != null || IpText.ipv6(host) != null || host.equalsIgnoreCase("localhost")
                || hosts.stream().anyMatch(host::equalsIgnoreCase) ? null : FOREIGN_HOST;
    }

    /**
     * Whether Quarkus may have replaced the host by that of a header, which a page can send, too. Quarkus records what it read
     * when the host is first asked for; of two kinds of headers, it records only one.
     */
    private static boolean isHostForwarded(HttpServerRequest request) {
        ForwardedInfo forwarded = ServedRequest.contextOf(request).getLocal(ForwardedInfo.CONTEXT_KEY);
        return forwarded != null && (forwarded.getHost() != null || request.headers().contains("Forwarded"));
    }

    void require(SecurityIdentity identity) {
        if (identity == null || identity.isAnonymous()) {
            throw new UnauthorizedException();
        }
        if (!roles.contains(ANY_ROLE) && roles.stream().noneMatch(identity::hasRole)) {
            throw FORBIDDEN;
        }
    }

    /**
     * Whether a page of another origin sends the request with the rights of the browser's user. Browsers send
     * {@code Sec-Fetch-Site}, and where they do not, {@code Origin}; other clients send neither.
     */
    static boolean isForeign(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return site != null ? !OWN_SITES.contains(site) : origin != null && !isOwn(origin, request);
    }

    private static boolean isOwn(String origin, HttpServerRequest request) {
        int host = origin.indexOf("://");
        return host >= 0 && request.authority() != null
                && origin.substring(host + "://".length()).equalsIgnoreCase(request.authority().toString());
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
