package io.quarkiverse.ratelimit.runtime.algorithm.window;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.math.BigInteger;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.UsageReply;

/** Counts by a sliding window. The scripts of {@code sliding_window} explain the algorithm and compute the same. */
public record SlidingWindow(Limit limit, long permits, long period) implements LimitRule {

    public SlidingWindow(Limit limit) {
        this(limit, limit.permits(), micros(limit.period()));
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new SlidingWindowAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return new SlidingWindowRefund(cost, period, at);
    }

    /** How long until this number of permits fits in addition to the counts. They do not fit now. */
    private Duration until(long cost, long previous, long count, long rest) {
        long room = permits - count - cost;
        // the longest overlap, in microseconds, at which the count of a window fits into the room
        return micros(room >= 0 ? rest - floor(room, period, previous) : rest + period - floor(permits - cost, period, count));
    }

    /** How many permits are free; less than 0 if more are in use than the limit allows. */
    long free(long previous, long count, long now) {
        return permits - count + floor(-previous, rest(now), period);
    }

    /** The rest of the current window. The same share of the previous window still counts. */
    private long rest(long now) {
        return period - now % period;
    }

    /** {@code count * part / whole}, rounded down. */
    private static long floor(long count, long part, long whole) {
        if (Math.multiplyHigh(count, part) == count * part >> 63) {
            return Math.floorDiv(count * part, whole);
        }
        BigInteger[] exact = BigInteger.valueOf(count).multiply(BigInteger.valueOf(part))
                .divideAndRemainder(BigInteger.valueOf(whole));
        return exact[0].longValueExact() - (exact[1].signum() < 0 ? 1 : 0);
    }

    /**
     * The reply of a sliding window.
     *
     * @param previous the count of the previous window
     * @param count the count of the current window
     */
    record Reply(SlidingWindow window, long granted, long previous, long count) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0;
            long count = Math.min(this.count + (charged ? granted : 0), MAX_PERMITS_KEPT);
            long rest = window.rest(now), permits = window.permits;
            long remaining = Math.max(0, window.free(previous, count, now));
            long deniedCost = allowed || requested.least() > permits ? 0 : requested.least();
            return new LimitUsage(name, window.limit, allowed, permits, remaining, Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO : window.until(deniedCost, previous, count, rest),
                    remaining == permits ? Duration.ZERO : window.until(remaining + 1, previous, count, rest),
                    micros(count > 0 ? rest + window.period : previous > 0 ? rest : 0));
        }

        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            if (micros < window.rest(now)) {
                return state(name, requested, now + micros, charged);
            }
            Reply nextWindow = new Reply(window, granted, count + (charged ? granted : 0), 0);
            return nextWindow.state(name, requested, now + micros, false);
        }

        @Override
        public Object stored(long now) {
            return new SlidingWindowState(window.period, now, now, previous, count);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            return new Reply(window, window.free(previous, count, now) < cost ? 0 : cost, previous, count);
        }

        @Override
        public UsageReply afterCharge(long cost) {
            return new Reply(window, granted, previous, count + cost);
        }
    }

    /**
     * Refunds permits.
     *
     * @param refunded number of permits
     * @param period the period when they were acquired
     * @param acquiredAt when they were acquired
     */
    private record SlidingWindowRefund(long refunded, long period, long acquiredAt) implements Operation {

        private static final Layout ARGUMENTS = Layout.of(ScriptFile.SLIDING_WINDOW_REFUND, "REFUND");

        @Override
        public ScriptFile function() {
            return ScriptFile.SLIDING_WINDOW_REFUND;
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(refunded, period, acquiredAt);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            if (!(stored instanceof SlidingWindowState state) || state.period() != period || acquiredAt < state.since()
                    || now / period - acquiredAt / period > 1) {
                return OperationResult.unchanged();
            }
            long windows = -state.windows(acquiredAt);
            if (windows < 0 || windows > 1) {
                return OperationResult.unchanged();
            }
            SlidingWindowState rest = state.without(windows == 1 ? refunded : 0, windows == 0 ? refunded : 0);
            return OperationResult.allowed(rest.endsAt() <= now ? () -> null : () -> rest, rest.endsAt());
        }
    }
}
