package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Limits that apply in place of those of a policy. Later versions may add methods, with a default. */
public interface RateLimitOverride {

    /**
     * Returns the key of the caller in its stored form, as in {@link RateLimitDecision#key()}; empty when it applies to all
     * callers.
     */
    Optional<String> key();

    /** Returns the limits by name; limits that are not named do not change. */
    Map<String, Limit> limits();

    /** Returns how long the override still applies; empty when it applies until it is removed. */
    Optional<Duration> timeLeft();
}
