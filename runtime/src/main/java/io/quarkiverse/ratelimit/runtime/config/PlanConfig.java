package io.quarkiverse.ratelimit.runtime.config;

import java.util.Map;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithDefault;

/** Replaces limits of a policy for some of its callers. The policy provides the values that the plan does not set. */
@ConfigGroup
public interface PlanConfig extends PlanLimitConfig {

    /** Values for the named limits of the policy, if it has {@code limits}. */
    @ConfigDocMapKey("limit")
    Map<String, PlanLimitConfig> limits();

    /** Whether the policy does not limit callers of this plan at all. */
    @WithDefault("false")
    boolean unlimited();
}
