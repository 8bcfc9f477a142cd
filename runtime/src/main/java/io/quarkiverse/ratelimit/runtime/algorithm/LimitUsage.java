package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** The state of a limit, as its algorithm calculates it from the reply of a store. */
public record LimitUsage(String policy, String limit, Limit definition, boolean allowed, long permits, long remaining,
        Duration delay, Duration retryAfter, Duration nextPermitAfter, Duration resetAfter) implements LimitState {

    /** Creates a state that does not name its policy. */
    public LimitUsage(String limit, Limit definition, boolean allowed, long permits, long remaining, Duration delay,
            Duration retryAfter, Duration nextPermitAfter, Duration resetAfter) {
        this("", limit, definition, allowed, permits, remaining, delay, retryAfter, nextPermitAfter, resetAfter);
    }

    /** Returns a state that names its policy. */
    public static LimitUsage of(String policy, LimitState state) {
        return new LimitUsage(policy, state.limit(), state.definition(), state.allowed(), state.permits(), state.remaining(),
                state.delay(), state.retryAfter(), state.nextPermitAfter(), state.resetAfter());
    }

    /** @param delay in microseconds, like all parameters after it */
    public LimitUsage(String limit, Limit definition, boolean allowed, long permits, long remaining, long delay,
            long retryAfter, long nextPermitAfter, long resetAfter) {
        this("", limit, definition, allowed, permits, remaining, micros(delay), micros(retryAfter), micros(nextPermitAfter),
                micros(resetAfter));
    }

    /** Returns the state this many microseconds later, with these permits remaining and this time until the next one. */
    public static LimitUsage later(LimitState before, long micros, long remaining, Duration nextPermitAfter) {
        return new LimitUsage(before.limit(), before.definition(), before.allowed(), before.permits(), remaining,
                less(before.delay(), micros), less(before.retryAfter(), micros), nextPermitAfter,
                less(before.resetAfter(), micros));
    }

    /** Returns the limit for a caller that is blocked for this time. A call that is never allowed waits for its end, too. */
    public static LimitUsage blocked(LimitState limit, Duration time) {
        return new LimitUsage(limit.limit(), limit.definition(), false, limit.permits(), 0, Duration.ZERO,
                longer(limit.retryAfter(), time),
                limit.remaining() > 0 ? time : longer(limit.nextPermitAfter(), time), longer(limit.resetAfter(), time));
    }

    /** Returns the limit for a caller that waits this much longer than necessary. */
    public static LimitUsage withLongerWait(LimitState limit, Duration jitter) {
        Duration next = limit.nextPermitAfter();
        return new LimitUsage(limit.limit(), limit.definition(), false, limit.permits(), limit.remaining(), limit.delay(),
                limit.retryAfter().plus(jitter), next.isZero() ? next : next.plus(jitter), limit.resetAfter().plus(jitter));
    }

    /**
     * Returns the limit that determines the result: the denying limit with the longest wait, or if no limit denies, the one
     * with the fewest permits left. A call that is never allowed has the longest wait. In a tie, it is the first limit;
     * {@code null} if there are no limits.
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

    /** Returns the time until all permits of all limits are available. */
    public static Duration resetAfter(List<LimitState> limits) {
        return longest(limits, LimitState::resetAfter);
    }

    private static boolean isStricter(LimitState one, LimitState other) {
        if (one.allowed()) {
            return other.allowed() && one.remaining() < other.remaining();
        }
        return other.allowed() || !other.retryAfter().isZero()
                && (one.retryAfter().isZero() || one.retryAfter().compareTo(other.retryAfter()) > 0);
    }

    /** Returns the longest time that one of these has; zero for none. */
    public static <T> Duration longest(List<T> all, Function<T, Duration> time) {
        Duration longest = Duration.ZERO;
        for (T one : all) {
            longest = longer(time.apply(one), longest);
        }
        return longest;
    }

    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Returns what is left of a time after this many microseconds. */
    public static Duration less(Duration time, long micros) {
        return micros(time) <= micros ? Duration.ZERO : time.minusNanos(micros * 1_000);
    }

    /** Returns the microseconds of a duration, rounded down. */
    public static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /**
     * Returns a duration of this many microseconds. The result equals that of
     * {@link Duration#of(long, java.time.temporal.TemporalUnit)}, but is made faster.
     */
    public static Duration micros(long micros) {
        return Duration.ofSeconds(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1_000L);
    }
}
