package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

/** Says times of rules, which are microseconds, as durations. */
final class Micros {

    private static final int SECOND = 1_000_000;

    private Micros() {
    }

    /** As {@link Duration#of(long, java.time.temporal.TemporalUnit)}, which takes longer to come to it. */
    static Duration micros(long micros) {
        return Duration.ofSeconds(Math.floorDiv(micros, SECOND), Math.floorMod(micros, SECOND) * 1_000L);
    }
}
