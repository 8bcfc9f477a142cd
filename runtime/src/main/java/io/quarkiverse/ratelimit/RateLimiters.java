package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.smallrye.mutiny.Uni;

/**
 * Finds and makes {@link RateLimiter}s, and changes the numbers that are in force while the application runs.
 *
 * <pre>
 * &#64;Inject
 * RateLimiters limiters;
 *
 * limiters.get("email").acquire("alice");
 * limiters.of("demo", Limit.tokenBucket(10).refill(1, Duration.ofSeconds(1))).acquire("alice");
 * limiters.override("email", Limit.slidingWindow(100, Duration.ofHours(1)), Duration.ofMinutes(30));
 * </pre>
 *
 * Overrides are stored in Redis and seen by all instances within a second; what was used up stays used up, unless the
 * algorithm changes. One for a key wins over one for the policy. They end by themselves after their time, 1 s to 366 days.
 * Putting and removing them fails with {@link IllegalStateException} where Redis is away.
 */
public interface RateLimiters {

    /**
     * The limiter of a configured policy.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    RateLimiter get(String policy);

    /** The names of the configured policies, sorted. */
    Set<String> policies();

    /**
     * A limiter that is not configured: it counts under this name, with the key that each call gives. Two of the same name
     * share their counts.
     *
     * @param name {@code [A-Za-z0-9_-]{1,64}}, not that of a configured policy
     * @throws IllegalArgumentException when the name is wrong or taken
     */
    default RateLimiter of(String name, Limit limit) {
        return of(name, Map.of("default", limit));
    }

    /** A limiter that is not configured, with several limits by name: all must admit, none is charged when one refuses. */
    RateLimiter of(String name, Map<String, Limit> limits);

    /**
     * The limits that are in force for everybody by their names, plans aside: the override's, else the configured ones.
     *
     * @throws IllegalArgumentException when there is no policy of this name
     */
    Map<String, Limit> limits(String policy);

    /** The limits that are in force for one caller by their names, plans aside: its override's, else those for everybody. */
    Map<String, Limit> limits(String policy, CallerKey key);

    /** {@link #limits(String, CallerKey)} for a key of one value. */
    default Map<String, Limit> limits(String policy, String key) {
        return limits(policy, CallerKey.of(key));
    }

    /**
     * Puts another limit in force for all callers of a policy that has only one, but for those whose plan has other numbers.
     *
     * @param ttl how long, 1 s to 366 days
     */
    Uni<Void> override(String policy, Limit limit, Duration ttl);

    /** Puts another limit in force for one caller of a policy that has only one; {@code key} is a key of one value. */
    default Uni<Void> override(String policy, String key, Limit limit, Duration ttl) {
        return override(policy, CallerKey.of(key), limit, ttl);
    }

    /** Puts another limit in force for one caller of a policy that has only one. */
    Uni<Void> override(String policy, CallerKey key, Limit limit, Duration ttl);

    /** Puts other limits in force for all callers of a policy, by their names; those not named stay as they are. */
    Uni<Void> override(String policy, Map<String, Limit> limits, Duration ttl);

    /** Puts other limits in force for one caller, by their names; {@code key} is a key of one value. */
    default Uni<Void> override(String policy, String key, Map<String, Limit> limits, Duration ttl) {
        return override(policy, CallerKey.of(key), limits, ttl);
    }

    /** Puts other limits in force for one caller of a policy, by their names; those not named stay as they are. */
    Uni<Void> override(String policy, CallerKey key, Map<String, Limit> limits, Duration ttl);

    /** Ends the override of a policy, if there is one; those for a key stay. */
    Uni<Void> removeOverride(String policy);

    /** Ends the override for one caller of a policy, if there is one; {@code key} is a key of one value. */
    default Uni<Void> removeOverride(String policy, String key) {
        return removeOverride(policy, CallerKey.of(key));
    }

    /** Ends the override for one caller of a policy, if there is one. */
    Uni<Void> removeOverride(String policy, CallerKey key);

    /** {@link #override(String, Limit, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, Limit limit, Duration ttl) {
        Await.answer(override(policy, limit, ttl));
    }

    /** {@link #override(String, String, Limit, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, String key, Limit limit, Duration ttl) {
        Await.answer(override(policy, key, limit, ttl));
    }

    /** {@link #override(String, CallerKey, Limit, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, CallerKey key, Limit limit, Duration ttl) {
        Await.answer(override(policy, key, limit, ttl));
    }

    /** {@link #override(String, Map, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, Map<String, Limit> limits, Duration ttl) {
        Await.answer(override(policy, limits, ttl));
    }

    /** {@link #override(String, String, Map, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, String key, Map<String, Limit> limits, Duration ttl) {
        Await.answer(override(policy, key, limits, ttl));
    }

    /** {@link #override(String, CallerKey, Map, Duration)}, waiting for the answer; not on an event loop. */
    default void overrideAndAwait(String policy, CallerKey key, Map<String, Limit> limits, Duration ttl) {
        Await.answer(override(policy, key, limits, ttl));
    }

    /** {@link #removeOverride(String)}, waiting for the answer; not on an event loop. */
    default void removeOverrideAndAwait(String policy) {
        Await.answer(removeOverride(policy));
    }

    /** {@link #removeOverride(String, String)}, waiting for the answer; not on an event loop. */
    default void removeOverrideAndAwait(String policy, String key) {
        Await.answer(removeOverride(policy, key));
    }

    /** {@link #removeOverride(String, CallerKey)}, waiting for the answer; not on an event loop. */
    default void removeOverrideAndAwait(String policy, CallerKey key) {
        Await.answer(removeOverride(policy, key));
    }
}
