package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;

/**
 * Limits that are in force in place of configured ones.
 *
 * @param caller the stored form of the caller's key; {@code null} for everybody
 * @param limits by their names
 * @param left for how long they stay
 */
public record OverrideInForce(String caller, Map<String, Limit> limits, Duration left) {
}
