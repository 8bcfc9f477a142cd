package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

/**
 * A caller's key that code passed to the limiter.
 *
 * @param values the plain values, in the order of the parts of the policy's key; empty for {@code key=global}
 * @param stored the form that appears in Redis, logs and metrics
 */
public record PassedKey(List<String> values, String stored) {
}
