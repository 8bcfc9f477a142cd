package io.quarkiverse.ratelimit.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Other numbers of a policy for some callers; what a plan does not give is the policy's own. */
@ConfigGroup
public interface PlanConfig extends PlanLimitConfig {

    /** The numbers of the policy's named limits, for a policy that has {@code limits}. */
    @ConfigDocMapKey("limit")
    Map<String, PlanLimitConfig> limits();

    /** Whether callers of this plan are not limited by the policy at all, {@code true} or {@code false}. */
    Optional<String> unlimited();
}
