package io.quarkiverse.ratelimit;

import java.util.Map;
import java.util.Set;

/**
 * Returns the limiters of configured policies, and creates limiters that are not configured.
 *
 * <pre>
 * &#64;Inject
 * RateLimiters limiters;
 *
 * limiters.get("email").forKey("alice").tryAcquire();
 * limiters.create("import", Limit.tokenBucket(10).refill(1, Duration.ofSeconds(1))).forKey("alice").tryAcquire();
 * </pre>
 */
public interface RateLimiters {

    /**
     * Returns the limiter of a configured policy.
     *
     * @throws IllegalArgumentException when no policy has this name
     */
    RateLimiter get(String policy);

    /** Creates a limiter with one limit, as {@link #create(String, Map)}. */
    RateLimiter create(String name, Limit limit);

    /**
     * Creates a limiter that is not configured. It counts under this name, for the keys that code passes. Two limiters of the
     * same name share their counts. Of several limits, all must allow a call, and none is charged when one denies it.
     *
     * @param name {@code [A-Za-z0-9_-]{1,64}}, not the name of a configured policy
     * @param limits by name, at least one
     * @throws IllegalArgumentException when a name is not allowed or in use, or there is no limit
     */
    RateLimiter create(String name, Map<String, Limit> limits);

    /** Returns the names of the configured policies, sorted. */
    Set<String> policies();
}
