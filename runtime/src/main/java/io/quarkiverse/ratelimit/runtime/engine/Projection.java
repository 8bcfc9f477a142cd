package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * Projects the limits of a policy from a store's reply to a later time, as if no other call was counted since.
 *
 * @param reply the reply; the policy's numbers begin at {@code at}
 * @param charged whether the call was charged
 */
record Projection(List<PolicyLimit> limits, Call call, long[] reply, int at, boolean charged) {

    /** @param micros how much later */
    List<LimitState> after(long micros) {
        List<LimitState> states = new ArrayList<>(limits.size());
        for (PolicyLimit limit : limits) {
            states.add(after(micros, limit, at + states.size() * LimitRule.WIDTH));
        }
        return states;
    }

    private LimitState after(long micros, PolicyLimit limit, int at) {
        LimitState before = limit.rule().state(limit.name(), reply, at, reply[0], call, charged);
        if (before.resetAfter().isZero()) {
            return before;
        }
        if (micros >= micros(before.resetAfter())) {
            return new LimitUsage(before.limit(), before.definition(), before.allowed(), before.permits(), before.permits(),
                    Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
        }
        if (micros < micros(before.nextPermitAfter())) {
            return with(before, before.remaining(), less(before.nextPermitAfter(), micros), micros);
        }
        return switch (limit.limit().algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> limit.limit().refill() == Refill.INTERVAL ? refilled(micros, limit, at)
                    : state(limit, micros, charged, reply[at], reply[at + 1] - micros, reply[at + 2], reply[at + 3]);
            case SLIDING_WINDOW -> slid(micros, limit, at);
            // the reply does not contain how many entries have expired: at least one
            case SLIDING_LOG -> with(before, before.remaining() + 1, less(before.resetAfter(), micros), micros);
            // these states change only at a reset
            case FIXED_WINDOW, CONCURRENCY -> with(before, before.remaining(), less(before.nextPermitAfter(), micros), micros);
        };
    }

    private LimitState refilled(long micros, PolicyLimit limit, int at) {
        long period = period(limit.limit()), next = reply[at + 3];
        long refills = micros < next ? 0 : 1 + (micros - next) / period;
        return state(limit, micros, charged, reply[at], reply[at + 1] - refills * limit.limit().permits(), reply[at + 2],
                next + refills * period - micros);
    }

    private LimitState slid(long micros, PolicyLimit limit, int at) {
        long period = period(limit.limit());
        if (reply[0] % period + micros < period) {
            return state(limit, micros, charged, reply[at], reply[at + 1], reply[at + 2], reply[at + 3]);
        }
        long previous = reply[at + 2] + (charged ? reply[at] : 0);
        return state(limit, micros, false, reply[at], previous, 0, 0);
    }

    private LimitState state(PolicyLimit limit, long micros, boolean charged, long... numbers) {
        long[] later = new long[LimitRule.WIDTH];
        System.arraycopy(numbers, 0, later, 0, numbers.length);
        return limit.rule().state(limit.name(), later, 0, reply[0] + micros, call, charged);
    }

    private static LimitState with(LimitState s, long remaining, Duration nextPermitAfter, long micros) {
        return new LimitUsage(s.limit(), s.definition(), s.allowed(), s.permits(), remaining, less(s.delay(), micros),
                less(s.retryAfter(), micros), nextPermitAfter, less(s.resetAfter(), micros));
    }

    private static Duration less(Duration time, long micros) {
        return micros(time) <= micros ? Duration.ZERO : time.minusNanos(micros * 1_000);
    }

    private static long period(Limit limit) {
        return micros(limit.period());
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }
}
