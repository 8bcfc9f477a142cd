package io.quarkiverse.ratelimit.runtime.config;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Numbers in place of a limit's own. */
@ConfigGroup
public interface PlanLimitConfig {

    /** How many permits there are in place of the limit's own. */
    @ConfigDocDefault("the policy's own")
    Optional<String> permits();

    /** For how long they are meant, in place of the limit's own. */
    @ConfigDocDefault("the policy's own")
    Optional<String> period();

    /** The capacity of a {@code token-bucket} in place of the limit's own. */
    @ConfigDocDefault("the policy's own, or the plan's permits where it has none")
    Optional<String> burst();
}
