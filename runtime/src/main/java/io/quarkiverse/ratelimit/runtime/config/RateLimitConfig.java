package io.quarkiverse.ratelimit.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/**
 * Rate limits.
 * <p>
 * Everything is taken as text, and every item is optional even where it has a default: so a value that is empty or
 * does not convert is reported together with all other mistakes instead of first and alone.
 */
@ConfigMapping(prefix = "quarkus.rate-limit")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface RateLimitConfig {

    /**
     * Whether calls are limited, {@code true} or {@code false}. When {@code false}, every call is admitted and nothing is
     * counted; the configuration is checked all the same.
     */
    @WithDefault("true")
    Optional<String> enabled();

    /**
     * What the name of every key in Redis begins with, before the first colon. Applications that share a Redis and are
     * to count apart need different ones. 1 to 64 characters without braces, white space and control characters.
     */
    @WithDefault("rate-limit")
    Optional<String> keyPrefix();

    /**
     * The longest that a call waits for its decision, whatever Redis does, as a duration: 1 ms to 60 s. After that
     * {@code on-redis-failure} decides.
     */
    @WithDefault("250ms")
    Optional<String> timeout();

    /**
     * What a policy does when Redis cannot decide, unless the policy says otherwise: {@code local} counts in the memory
     * of each instance, with limits divided by {@code replicas}; {@code allow} admits the call; {@code refuse} refuses
     * it, over HTTP with status 503, and is recommended for logins.
     */
    @WithDefault("local")
    Optional<String> onRedisFailure();

    /**
     * How many instances of the application there are, 1 to 1000000. Limits are divided by it while each instance counts
     * by itself because Redis is away; every limit keeps at least one permit.
     */
    @WithDefault("1")
    Optional<String> replicas();

    /**
     * How many calls one instance holds back at the same time, 0 to 1000000, because the {@code max-wait} of their policies
     * lets them wait. A call beyond that is refused as if it could not wait.
     */
    @WithDefault("10000")
    Optional<String> maxHeld();

    /**
     * The response headers that tell a caller where it stands, comma-separated: {@code ratelimit} for
     * {@code RateLimit-Policy} and {@code RateLimit}, {@code x-ratelimit} for {@code X-RateLimit-Limit},
     * {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}; or {@code none} alone.
     */
    @WithDefault("ratelimit,x-ratelimit")
    Optional<String> headers();

    /**
     * How many leading bits of an IPv6 address tell callers apart, 1 to 128: callers that have them in common count as
     * one. IPv4 addresses always count whole.
     */
    @WithDefault("64")
    Optional<String> ipv6Prefix();

    /**
     * The policies by name: 1 to 64 letters, digits, underscores and dashes. Define policies in a file: the name of an
     * environment variable can override a value, but cannot tell which dashes a policy's name has.
     */
    @ConfigDocMapKey("policy")
    Map<String, PolicyConfig> policies();

    /**
     * Whole paths that are limited without annotations, before authentication, for anything HTTP. All routes that match a
     * request apply. Preflight requests that Quarkus' CORS filter answers are not limited, nor is the non-application root
     * unless it is {@code /} or a pattern begins with it. Names are 1 to 64 letters, digits, underscores and dashes.
     */
    @ConfigDocMapKey("route")
    Map<String, RouteConfig> routes();
}
