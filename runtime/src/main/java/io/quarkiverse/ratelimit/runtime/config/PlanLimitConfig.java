package io.quarkiverse.ratelimit.runtime.config;

import java.time.Duration;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Values that replace those of a limit. */
@ConfigGroup
public interface PlanLimitConfig {

    /** Replaces the number of permits. */
    @ConfigDocDefault("the policy's value")
    Optional<Long> permits();

    /** Replaces the period. */
    @ConfigDocDefault("the policy's value")
    Optional<Duration> period();

    /** Replaces the capacity of a {@code token-bucket}. */
    @ConfigDocDefault("the policy's value; if it has none, the permits of the plan")
    Optional<Long> burst();
}
