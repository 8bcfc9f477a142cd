package io.quarkiverse.ratelimit.runtime.devui;

import java.util.TreeMap;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.engine.OverrideInForce;

/**
 * A limit that is in force in place of a configured one.
 *
 * @param caller the stored form of the caller's key, {@code null} for everybody
 * @param left for how long it stays
 */
public record ShownOverride(String caller, String limit, String numbers, String left) {

    static Stream<ShownOverride> of(OverrideInForce override) {
        return new TreeMap<>(override.limits()).entrySet().stream().map(limit -> new ShownOverride(override.caller(),
                limit.getKey(), Notation.of(limit.getValue()), Notation.wait(override.left())));
    }
}
