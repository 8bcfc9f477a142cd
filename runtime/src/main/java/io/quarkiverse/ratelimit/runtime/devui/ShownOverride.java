package io.quarkiverse.ratelimit.runtime.devui;

import java.util.TreeMap;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.RateLimitOverride;

/**
 * A limit that overrides a configured limit.
 *
 * @param key the caller's key in its stored form, or {@code null} for all callers
 * @param timeLeft how long it still applies; empty if it has no end
 */
public record ShownOverride(String key, String limit, String definition, String timeLeft) {

    static Stream<ShownOverride> of(RateLimitOverride override) {
        return new TreeMap<>(override.limits()).entrySet().stream().map(limit -> new ShownOverride(override.key().orElse(null),
                limit.getKey(), Notation.of(limit.getValue()), override.timeLeft().map(Notation::wait).orElse("")));
    }
}
