package io.quarkiverse.ratelimit.runtime.config;

import java.time.Duration;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;

/** Blocks keys that are denied too often. */
@ConfigGroup
public interface PenaltyConfig {

    /**
     * How many denials within {@code penalty.within} block a key, 1 to 1000. A blocked key is denied, whatever its limits
     * allow, and its calls are not counted. Requires {@code penalty.within} and {@code penalty.block}. Without them, only code
     * and operators block keys.
     */
    @ConfigDocDefault("no penalty")
    Optional<Integer> after();

    /** The time in which the denials count, 1 ms to 366 days. Denials before a block do not count after it. */
    @ConfigDocDefault("no penalty")
    Optional<Duration> within();

    /** How long a key is blocked, 1 ms to 366 days. */
    @ConfigDocDefault("no penalty")
    Optional<Duration> block();

    /**
     * The longest block, at least {@code penalty.block}, up to 366 days. A block that begins within this time after the end of
     * the last one is twice as long as that one, up to this time.
     */
    @ConfigDocDefault("the value of penalty.block")
    Optional<Duration> maxBlock();
}
