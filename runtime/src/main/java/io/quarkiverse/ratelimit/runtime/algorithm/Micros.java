package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

/** Converts microseconds, the unit of all rules, to durations. */
final class Micros {

    private static final int SECOND = 1_000_000;

    private Micros() {
    }

    /** Same result as {@link Duration#of(long, java.time.temporal.TemporalUnit)}, but faster. */
    static Duration micros(long micros) {
        return Duration.ofSeconds(Math.floorDiv(micros, SECOND), Math.floorMod(micros, SECOND) * 1_000L);
    }
}
