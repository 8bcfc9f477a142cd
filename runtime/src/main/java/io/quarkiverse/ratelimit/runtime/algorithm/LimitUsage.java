package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** The state of a limit, as its algorithm calculates it from the reply of a store. */
public record LimitUsage(String limit, Limit definition, boolean allowed, long permits, long remaining, Duration delay,
        Duration retryAfter, Duration nextPermitAfter, Duration resetAfter) implements LimitState {

    /** @param delay in microseconds, like all parameters after it */
    public LimitUsage(String limit, Limit definition, boolean allowed, long permits, long remaining, long delay,
            long retryAfter, long nextPermitAfter, long resetAfter) {
        this(limit, definition, allowed, permits, remaining, micros(delay), micros(retryAfter), micros(nextPermitAfter),
                micros(resetAfter));
    }

    /** The same state this many microseconds later, with these permits remaining and this time until the next one. */
    public static LimitUsage later(LimitState before, long micros, long remaining, Duration nextPermitAfter) {
        return new LimitUsage(before.limit(), before.definition(), before.allowed(), before.permits(), remaining,
                less(before.delay(), micros), less(before.retryAfter(), micros), nextPermitAfter,
                less(before.resetAfter(), micros));
    }

    /** The same limit for a caller that is blocked for this time. A call that can never be allowed stays such a call. */
    public static LimitUsage blocked(LimitState limit, Duration time) {
        boolean never = !limit.allowed() && limit.retryAfter().isZero();
        return new LimitUsage(limit.limit(), limit.definition(), false, limit.permits(), 0, Duration.ZERO,
                never ? Duration.ZERO : longer(limit.retryAfter(), time),
                limit.remaining() > 0 ? time : longer(limit.nextPermitAfter(), time), longer(limit.resetAfter(), time));
    }

    /**
     * The limit that determines the result: the denying limit with the longest wait, where a call that is never allowed has
     * the longest. If no limit denies, the one with the fewest permits left; in a tie, the first. {@code null} for no limits.
     */
    public static LimitState determining(List<LimitState> limits) {
        LimitState determining = null;
        for (LimitState limit : limits) {
            if (determining == null || isStricter(limit, determining)) {
                determining = limit;
            }
        }
        return determining;
    }

    private static boolean isStricter(LimitState one, LimitState other) {
        if (one.allowed()) {
            return other.allowed() && one.remaining() < other.remaining();
        }
        return other.allowed() || !other.retryAfter().isZero()
                && (one.retryAfter().isZero() || one.retryAfter().compareTo(other.retryAfter()) > 0);
    }

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** The rest of a time after this many microseconds. */
    public static Duration less(Duration time, long micros) {
        return micros(time) <= micros ? Duration.ZERO : time.minusNanos(micros * 1_000);
    }

    /** The microseconds of a duration, rounded down. */
    public static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /** This many microseconds. Same result as {@link Duration#of(long, java.time.temporal.TemporalUnit)}, but faster. */
    public static Duration micros(long micros) {
        return Duration.ofSeconds(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L);
    }
}
