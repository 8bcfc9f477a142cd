package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Admits what is done for the first time, and refuses what is repeated.
 *
 * @param until when it may be forgotten, microseconds since the epoch
 */
public record Once(long until) implements Act {

    @Override
    public String script() {
        return "once";
    }

    @Override
    public byte[] arguments(long now) {
        return Long.toString(until).getBytes(US_ASCII);
    }

    @Override
    public Verdict decide(Object stored, long now, long cost) {
        return stored == null ? Verdict.of(1, () -> true, until) : Verdict.of(0, null, 0);
    }
}
