package io.quarkiverse.ratelimit.runtime.config;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithDefault;

/** So many permits per so long. */
@ConfigGroup
public interface LimitConfig {

    /**
     * How many permits come back per {@code period}, 1 to 1000000000. Required in the policy, or in each of its
     * {@code limits}.
     */
    Optional<String> permits();

    /**
     * In what time {@code permits} come back, as a duration: 1 ms to 366 days, in whole microseconds. Required
     * in the policy, or in each of its {@code limits}.
     */
    Optional<String> period();

    /**
     * The capacity: how many permits can be taken at once after a pause, 1 to 1000000000. The time in which so many come
     * back, {@code burst * period / permits}, is at most 100 years.
     */
    @ConfigDocDefault("the value of permits")
    Optional<String> burst();

    /** The rule by which the limit counts: {@code token-bucket}. */
    @WithDefault("token-bucket")
    Optional<String> algorithm();

    /**
     * When permits come back: {@code greedy} evenly, all the time, one each {@code period / permits}; {@code interval} all
     * {@code permits} at once, each whole {@code period} since the first use after the bucket was full.
     */
    @WithDefault("greedy")
    Optional<String> refill();
}
