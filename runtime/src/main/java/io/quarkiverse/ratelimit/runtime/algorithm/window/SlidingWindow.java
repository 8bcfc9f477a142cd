package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.math.BigInteger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/** Counts by a sliding window. The scripts of {@code sliding_window} explain the algorithm and compute the same. */
public record SlidingWindow(Limit limit, long permits, long period) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_WINDOW_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND = Layout.of(ScriptFile.SLIDING_WINDOW_REFUND, "REFUND");

    public SlidingWindow(Limit limit) {
        this(limit, limit.permits(), micros(limit.period()));
    }

    @Override
    public KeyLayout layout() {
        return KeyLayout.SLIDING_WINDOW;
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        return new AcquireOperation(this, requested, ScriptFile.SLIDING_WINDOW_ACQUIRE,
                ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, period));
    }

    @Override
    public UsageReply reply(long granted, long previous, long count, long third, long fourth) {
        return new Reply(this, granted, previous, count);
    }

    @Override
    public OperationResult decide(PermitRequest requested, long cost, Object value, long now) {
        State empty = new State(period, now, now, 0, 0), stored = value instanceof State state ? state : empty;
        State current = stored.current(period, now), before = current.isEmpty() ? empty : current;
        boolean outdated = !before.isEmpty() && (stored.period != period || stored.windows(now) < 0);
        long granted = requested.granted(cost, free(before.previous, before.count, now), permits);
        State after = granted > 0
                ? new State(period, before.since, Math.max(now, before.last), before.previous,
                        Math.min(before.count + granted, MAX_PERMITS_KEPT))
                : new State(period, before.since, before.last, 0, before.previous + before.count);
        return new OperationResult(new Reply(this, granted, before.previous, before.count),
                granted > 0 || outdated ? () -> after : null, after.endsAt());
    }

    @Override
    public PlainOperation refund(LimitState decided, long at, long cost, long id) {
        return new PlainOperation(ScriptFile.SLIDING_WINDOW_REFUND, () -> REFUND.pack(cost, period, at), (stored, now) -> {
            if (!(stored instanceof State state) || state.period != period || at < state.since
                    || now / period - at / period > 1) {
                return OperationResult.unchanged();
            }
            long windows = -state.windows(at);
            if (windows < 0 || windows > 1) {
                return OperationResult.unchanged();
            }
            State rest = state.without(windows == 1 ? cost : 0, windows == 0 ? cost : 0);
            return OperationResult.allowed(rest.endsAt() <= now ? () -> null : () -> rest, rest.endsAt());
        });
    }

    /** Returns the time until this number of permits fits in addition to the counts. They do not fit now. */
    private long until(long cost, long previous, long count, long rest) {
        long room = permits - count - cost;
        // the longest overlap, in microseconds, at which the count of a window fits into the room
        return room >= 0 ? rest - floor(room, period, previous) : rest + period - floor(permits - cost, period, count);
    }

    /** Returns how many permits are free; less than 0 if more are in use than the limit allows. */
    private long free(long previous, long count, long now) {
        return permits - count + floor(-previous, rest(now), period);
    }

    /** Returns the rest of the current window. The same share of the previous window still counts. */
    private long rest(long now) {
        return period - now % period;
    }

    /** Returns {@code count * part / whole}, rounded down. */
    private static long floor(long count, long part, long whole) {
        if (Math.multiplyHigh(count, part) == count * part >> 63) {
            return Math.floorDiv(count * part, whole);
        }
        BigInteger[] exact = BigInteger.valueOf(count).multiply(BigInteger.valueOf(part))
                .divideAndRemainder(BigInteger.valueOf(whole));
        return exact[0].longValueExact() - (exact[1].signum() < 0 ? 1 : 0);
    }

    /** The counts of the previous and of the current window before the call. */
    private record Reply(SlidingWindow rule, long granted, long previous, long count) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            long count = Math.min(this.count + (charged ? granted : 0), MAX_PERMITS_KEPT);
            long rest = rule.rest(now), permits = rule.permits;
            long remaining = Math.max(0, rule.free(previous, count, now));
            long least = requested.least();
            return new LimitUsage(name, rule.limit, granted > 0, permits, remaining, 0,
                    granted > 0 || least > permits ? 0 : rule.until(least, previous, count, rest),
                    remaining == permits ? 0 : rule.until(remaining + 1, previous, count, rest),
                    count > 0 ? rest + rule.period : previous > 0 ? rest : 0);
        }

        @Override
        public Object stored(long now) {
            return new State(rule.period, now, now, previous, count);
        }

        @Override
        public Reply toOne(long cost, long charged, long now) {
            long before = count + charged;
            return new Reply(rule, rule.free(previous, before, now) < cost ? 0 : cost, previous, before);
        }
    }

    /** The state of a key: the counts of two windows as of the last charged call, and since when it counts. */
    private record State(long period, long since, long last, long previous, long count) {

        /** Returns the state for this period, as of now. */
        State current(long period, long now) {
            return (this.period == period ? this : converted(period, now)).rolled(now);
        }

        /** Moves both counts to the window of the last call. */
        private State converted(long period, long now) {
            long windows = windows(now);
            long sum = windows > 1 ? 0 : count + (windows < 1 ? previous : 0);
            return new State(period, Math.max(now, last + 1), last, 0, Math.min(sum, MAX_PERMITS_KEPT));
        }

        private State rolled(long now) {
            long windows = windows(now);
            if (windows < 0) {
                return new State(period, last + 1, now, 0, Math.min(previous + count, MAX_PERMITS_KEPT));
            }
            return windows == 0 ? this : new State(period, since, last, windows == 1 ? count : 0, 0);
        }

        /** Returns the state after a refund of permits of each window. */
        State without(long ofPrevious, long ofCurrent) {
            return new State(period, since, last, Math.max(0, previous - ofPrevious), Math.max(0, count - ofCurrent));
        }

        /** Returns how many windows the time is after the last call. */
        long windows(long time) {
            return time / period - last / period;
        }

        boolean isEmpty() {
            return previous + count == 0;
        }

        long endsAt() {
            return (last / period + (count > 0 ? 2 : previous > 0 ? 1 : 0)) * period;
        }
    }
}
