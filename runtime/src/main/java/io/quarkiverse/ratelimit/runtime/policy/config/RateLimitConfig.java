package io.quarkiverse.ratelimit.runtime.policy.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;

/** Rate limits. A property is {@code Optional} where its absence has a meaning. */
@ConfigMapping(prefix = "quarkus.rate-limit")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface RateLimitConfig {

    /** Limits calls. With {@code false}, every call is allowed and nothing is counted. The configuration is still checked. */
    @WithDefault("true")
    boolean enabled();

    /**
     * Store of the counts. {@code redis}: all instances of the application count together. {@code memory}: every instance
     * counts by itself, and Redis is neither needed nor started in dev mode and tests; {@code on-redis-failure},
     * {@code replicas}, {@code denial-cache}, {@code prefetch} and {@code key-prefix} have no effect.
     */
    @WithDefault("redis")
    @ConfigDocDefault("redis")
    Store store();

    /**
     * Beginning of the name of every key in Redis, before the first colon. Applications that share a Redis and count separately
     * need different prefixes. 1 to 64 characters without braces, white space and control characters.
     */
    @WithDefault("rate-limit")
    String keyPrefix();

    /**
     * Longest time that a call waits for its decision. After that {@code on-redis-failure} applies. From 1 ms to 60 s, in whole
     * microseconds.
     */
    @WithDefault("250ms")
    @ConfigDocDefault("250ms")
    Duration timeout();

    /** Decision while Redis is unavailable. A policy can have its own value. {@code deny} is recommended for logins. */
    @WithDefault("local")
    OnRedisFailure onRedisFailure();

    /**
     * Number of instances of the application, from 1 to 1000000. While Redis is unavailable, each instance counts by itself and
     * its limits are divided by this number. Every limit keeps at least one permit.
     */
    @WithDefault("1")
    int replicas();

    /**
     * Largest number of calls that one instance delays at the same time because of {@code max-wait}, from 0 to 1000000. A
     * further call that would have to wait is denied.
     */
    @WithDefault("10000")
    int maxDelayed();

    /** Response headers that show callers the state of their limits. */
    @WithDefault("ratelimit,x-ratelimit")
    List<HeaderFamily> headers();

    /**
     * Number of leading bits of an IPv6 address that identify a caller, from 1 to 128: addresses with the same bits are counted
     * together. IPv4 addresses always count whole, also in IPv6 notation and behind NAT64 ({@code 64:ff9b::/96},
     * {@code 64:ff9b:1::/48}).
     */
    @WithDefault("64")
    int ipv6Prefix();

    /**
     * Number of proxies between callers and the application, from 0 to 100. Use it if the addresses of the proxies are unknown,
     * or if they connect through a Unix domain socket. Each proxy must append the address of its caller to
     * {@code X-Forwarded-For} (or to {@code Forwarded}, with {@code quarkus.http.proxy.allow-forwarded=true}). With 2, the
     * second address from the right is the caller's. If a request has fewer addresses, that of its caller is missing. A caller
     * that reaches the application without passing all proxies can choose its address. With 0, the address is determined by
     * {@code quarkus.http.proxy.trusted-proxies}; with any other value, these have no effect on rate limits.
     */
    @WithDefault("0")
    int proxyHops();

    /**
     * Header in which a trusted proxy sends the address of its caller alone, such as {@code CF-Connecting-IP},
     * {@code Fly-Client-IP}, {@code True-Client-IP} or {@code X-Real-IP}. The proxy must set or remove this header, whoever
     * calls it. The value is one IPv4 or IPv6 address, with or without a port; with any other value, with several headers, or
     * without one, the address of the caller is missing. A request that does not come from one of
     * {@code quarkus.http.proxy.trusted-proxies} has the address of its connection. Requires {@code trusted-proxies}, which
     * then also works without {@code quarkus.http.proxy.proxy-address-forwarding}. Excludes {@code proxy-hops}.
     */
    Optional<String> addressHeader();

    /**
     * Secret of at least 16 characters, the same on all instances. Two, with a comma between them, while a new one replaces an
     * old one. The ids of reservations then carry a checksum that is made with the first, and an id with no checksum of either
     * is an {@code IllegalArgumentException}. Without a secret, ids carry no checksum, and every id is accepted, so they must
     * not reach clients.
     */
    @ConfigDocDefault("none")
    Optional<List<String>> reservationSecret();

    /**
     * Reaction at the start to properties below {@code quarkus.rate-limit} that do not exist. A misspelled limit does not
     * limit, so they stop the start by default. Use {@code warn} while instances of two versions share one configuration.
     */
    @WithDefault("fail")
    OnUnknown unknownProperties();

    /**
     * Roles whose callers may administer limits, if {@code quarkus.rate-limit.admin.enabled} is {@code true}: read limits, and
     * reset, override and block any caller. {@code **} stands for any authenticated caller. An empty value is none. Required
     * unless the management interface is enabled. If it is enabled and roles are set, {@code quarkus.management.auth.enabled}
     * must be {@code true}, or nobody has access.
     */
    @WithName("admin.roles-allowed")
    @ConfigDocDefault("none; everybody on the management interface")
    Optional<List<String>> adminRolesAllowed();

    /**
     * Host names of the management interface, such as {@code shop-management.internal}. IP addresses and {@code localhost} need
     * not be listed. Without {@code quarkus.rate-limit.admin.roles-allowed}, a request with any other host gets status 403.
     * Otherwise a web site whose name resolves to the interface could use it through the browser of an operator.
     */
    @WithName("admin.hosts")
    Optional<List<String>> adminHosts();

    /**
     * Policies by name: 1 to 64 letters, digits, underscores and dashes. Define policies in a file: an environment variable can
     * override a value, but its name does not show where a policy's name has dashes.
     */
    @ConfigDocMapKey("policy")
    Map<String, PolicyConfig> policies();

    /**
     * Paths that are limited without annotations, before authentication, for anything HTTP. If several routes match a request,
     * all of them apply. Routes do not limit preflight requests to which Quarkus' CORS filter responds, and they limit the
     * non-application root only if it is {@code /} or a pattern begins with it. A name has 1 to 64 letters, digits, underscores
     * and dashes.
     */
    @ConfigDocMapKey("route")
    Map<String, RouteConfig> routes();

    /** What to do with unknown properties. */
    enum OnUnknown {
        /** Do not start, and report all of them with the other mistakes. */
        FAIL,
        /** Ignore them, and name all of them in one warning. */
        WARN
    }

    /** Where limits are counted. */
    enum Store {
        /** In Redis, for all instances together. */
        REDIS,
        /** In the memory of each instance, without Redis. */
        MEMORY
    }

    /** Paths that are limited without annotations, before authentication. */
    @ConfigGroup
    interface RouteConfig {

        /**
         * Limited paths: patterns as in {@code quarkus.http.auth.permission}, such as {@code /login} or {@code /api/*}. A
         * pattern limits paths below the non-application root, {@code /q}, only if it begins with that root. Required.
         */
        Optional<List<String>> paths();

        /**
         * Paths that are not limited although {@code paths} contains them: patterns of the same kind, such as
         * {@code /api/assets/*}. Each must match a path that {@code paths} contains. A request is not limited if its path
         * matches one in every form in which a server may interpret it.
         */
        Optional<List<String>> except();

        /** Limited HTTP methods, such as {@code POST}; {@code GET} includes {@code HEAD}. */
        @ConfigDocDefault("all")
        Optional<List<String>> methods();

        /**
         * Policy that limits the paths. The request is not authenticated yet, and no method is chosen. So the policy's
         * {@code key} must not contain {@code principal}, {@code claim}, {@code method} or {@code path}, its {@code plan} must
         * not be {@code claim} or {@code roles}, and it must not have {@code exempt-roles}. Required.
         */
        Optional<String> policy();
    }

    /** Response headers that are switched on and off together. */
    enum HeaderFamily {
        /** {@code RateLimit-Policy} and {@code RateLimit}. */
        RATELIMIT,
        /** {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
        X_RATELIMIT,
        /** No headers; stands alone. */
        NONE
    }
}
