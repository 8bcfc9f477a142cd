package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.smallrye.mutiny.Uni;

/** A {@link RateLimitAdmin} whose methods never block. */
public interface ReactiveRateLimitAdmin {

    /** {@link RateLimitAdmin#limits(String)}. */
    @CheckReturnValue
    Uni<Map<String, Limit>> limits(String policy);

    /** {@link RateLimitAdmin#limits(String, String)}. */
    @CheckReturnValue
    Uni<Map<String, Limit>> limits(String policy, String key);

    /** {@link RateLimitAdmin#limits(String, List)}. */
    @CheckReturnValue
    Uni<Map<String, Limit>> limits(String policy, List<String> key);

    /** {@link RateLimitAdmin#override(String, Limit)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, Limit limit);

    /** {@link RateLimitAdmin#override(String, Limit, Duration)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, Limit limit, Duration duration);

    /** {@link RateLimitAdmin#override(String, Map)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, Map<String, Limit> limits);

    /** {@link RateLimitAdmin#override(String, Map, Duration)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, Map<String, Limit> limits, Duration duration);

    /** {@link RateLimitAdmin#override(String, String, Limit)}. */
    @CheckReturnValue
    default Uni<Void> override(String policy, String key, Limit limit) {
        return override(policy, Collections.singletonList(key), limit);
    }

    /** {@link RateLimitAdmin#override(String, String, Limit, Duration)}. */
    @CheckReturnValue
    default Uni<Void> override(String policy, String key, Limit limit, Duration duration) {
        return override(policy, Collections.singletonList(key), limit, duration);
    }

    /** {@link RateLimitAdmin#override(String, List, Limit)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, List<String> key, Limit limit);

    /** {@link RateLimitAdmin#override(String, List, Limit, Duration)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, List<String> key, Limit limit, Duration duration);

    /** {@link RateLimitAdmin#override(String, String, Map)}. */
    @CheckReturnValue
    default Uni<Void> override(String policy, String key, Map<String, Limit> limits) {
        return override(policy, Collections.singletonList(key), limits);
    }

    /** {@link RateLimitAdmin#override(String, String, Map, Duration)}. */
    @CheckReturnValue
    default Uni<Void> override(String policy, String key, Map<String, Limit> limits, Duration duration) {
        return override(policy, Collections.singletonList(key), limits, duration);
    }

    /** {@link RateLimitAdmin#override(String, List, Map)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, List<String> key, Map<String, Limit> limits);

    /** {@link RateLimitAdmin#override(String, List, Map, Duration)}. */
    @CheckReturnValue
    Uni<Void> override(String policy, List<String> key, Map<String, Limit> limits, Duration duration);

    /** {@link RateLimitAdmin#removeOverride(String)}. */
    @CheckReturnValue
    Uni<Void> removeOverride(String policy);

    /** {@link RateLimitAdmin#removeOverride(String, String)}. */
    @CheckReturnValue
    Uni<Void> removeOverride(String policy, String key);

    /** {@link RateLimitAdmin#removeOverride(String, List)}. */
    @CheckReturnValue
    Uni<Void> removeOverride(String policy, List<String> key);

    /** {@link RateLimitAdmin#overrides}. */
    @CheckReturnValue
    Uni<List<RateLimitOverride>> overrides(String policy);

    /** {@link RateLimitAdmin#mostDenied}. */
    @CheckReturnValue
    Uni<List<DeniedKey>> mostDenied(String policy, int count);

    /** {@link RateLimitAdmin#blocked}. */
    @CheckReturnValue
    Uni<List<BlockedKey>> blocked(String policy);
}
