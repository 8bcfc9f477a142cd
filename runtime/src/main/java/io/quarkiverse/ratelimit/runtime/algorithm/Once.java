package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;

/**
 * Allows what is done for the first time, and denies what is repeated as its answer was lost, or by another instance. No
 * answer is lost in memory, so nothing is remembered there.
 *
 * @param id tells it from all else that is done with the same key
 * @param lasts for how long it is remembered
 */
public record Once(long id, Duration lasts) implements Act {

    @Override
    public String script() {
        return "once";
    }

    @Override
    public byte[] arguments(long now) {
        return (lasts.toNanos() / 1000 + " " + Long.toHexString(id)).getBytes(US_ASCII);
    }

    @Override
    public Verdict decide(Object stored, long now, long cost) {
        return Verdict.of(1, null, 0);
    }
}
