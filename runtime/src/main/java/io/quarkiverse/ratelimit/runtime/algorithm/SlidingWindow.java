package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by a sliding window. {@code sliding_window.lua} explains the algorithm and computes the same. */
record SlidingWindow(Limit limit, long permits, long period) implements LimitRule {

    private static final String SCRIPT = "sliding_window";
    private static final long MAX_PERMITS_KEPT = 1_000_000_000_000_000L;

    SlidingWindow(Limit limit) {
        this(limit, limit.permits(), limit.period().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return period;
    }

    @Override
    public Operation take(Call call) {
        return new Take(call);
    }

    @Override
    public Operation refund(LimitState taken, long at, long cost, long id) {
        return new Refund(cost, at);
    }

    /**
     * The reply of a sliding window.
     *
     * @param previous the count of the previous window
     * @param count the count of the current window
     */
    private record Reply(SlidingWindow window, long granted, long previous, long count) implements UsageReply {

        static Reply read(SlidingWindow window, LongSupplier numbers) {
            Reply reply = new Reply(window, numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong());
            numbers.getAsLong();
            numbers.getAsLong();
            return reply;
        }

        @Override
        public LimitState state(String name, Call call, long now, boolean charged) {
            boolean allowed = granted > 0;
            long count = Math.min(this.count + (charged ? granted : 0), MAX_PERMITS_KEPT);
            long left = window.left(now), permits = window.permits;
            long remaining = Math.max(0, window.free(previous, count, left));
            long deniedCost = allowed || call.least() > permits ? 0 : call.least();
            return new LimitUsage(name, window.limit, allowed, permits, remaining, Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO : window.until(deniedCost, previous, count, left),
                    remaining == permits ? Duration.ZERO : window.until(remaining + 1, previous, count, left),
                    micros(count > 0 ? left + window.period : previous > 0 ? left : 0));
        }

        @Override
        public LimitState refilledAfter(long micros, String name, Call call, long now, boolean charged) {
            if (micros < window.left(now)) {
                return state(name, call, now + micros, charged);
            }
            return new Reply(window, granted, count + (charged ? granted : 0), 0).state(name, call, now + micros, false);
        }

        @Override
        public UsageReply first(long cost, long now) {
            return new Reply(window, window.free(previous, count, window.left(now)) < cost ? 0 : cost, previous, count);
        }

        @Override
        public UsageReply others(long cost) {
            return new Reply(window, granted, previous, count + cost);
        }
    }

    /** How long until this number of permits fits in addition to the counts. They do not fit now. */
    private Duration until(long cost, long previous, long count, long left) {
        long room = permits - count - cost;
        if (room >= 0) {
            return micros(left - overlap(room, previous));
        }
        return micros(left + period - overlap(permits - cost, count));
    }

    /** The longest overlap, in microseconds, at which the count of a window fits into the room. */
    private long overlap(long room, long count) {
        return floor(room, period, count);
    }

    private long free(long previous, long count, long left) {
        return permits - count + floor(-previous, left, period);
    }

    /** How much of the current window is left. The same share of the previous window still counts. */
    private long left(long now) {
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

    /** The state of a key: the counts of two windows as of the last charged call, and since when it counts. */
    private record Stored(long period, long since, long last, long previous, long count) {

        /** The state for this period, as of now. */
        Stored current(long period, long now) {
            return (this.period == period ? this : converted(period, now)).rolled(now);
        }

        /** Moves both counts to the window of the last call. */
        private Stored converted(long period, long now) {
            long windows = windows(now);
            long sum = windows > 1 ? 0 : count + (windows < 1 ? previous : 0);
            return new Stored(period, Math.max(now, last + 1), last, 0, Math.min(sum, MAX_PERMITS_KEPT));
        }

        private Stored rolled(long now) {
            long windows = windows(now);
            if (windows < 0) {
                return new Stored(period, last + 1, now, 0, Math.min(previous + count, MAX_PERMITS_KEPT));
            }
            return windows == 0 ? this : new Stored(period, since, last, windows == 1 ? count : 0, 0);
        }

        /** How many windows the time is after the last call. */
        long windows(long time) {
            return time / period - last / period;
        }

        boolean isNothing() {
            return previous + count == 0;
        }

        long endsAt() {
            return (last / period + (count > 0 ? 2 : previous > 0 ? 1 : 0)) * period;
        }
    }

    private final class Take extends AcquireOperation {

        private final byte[] arguments;

        Take(Call call) {
            super(SlidingWindow.this, call);
            this.arguments = ByteBuffer.allocate(21).order(ByteOrder.LITTLE_ENDIAN).put((byte) call.manner().ordinal())
                    .putInt((int) call.cost()).putInt((int) call.least()).putInt((int) permits).putDouble(period).array();
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public LimitReply reply(LongSupplier numbers) {
            return Reply.read(SlidingWindow.this, numbers);
        }

        @Override
        public byte[] arguments(long now) {
            return arguments;
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            Stored was = stored instanceof Stored window ? window : null;
            Stored is = was == null ? null : was.current(period, now);
            if (is == null || is.isNothing()) {
                is = new Stored(period, now, now, 0, 0);
            }
            boolean outdated = !is.isNothing() && (was.period != period || was.windows(now) < 0);
            long granted = call.granted(less > 0 ? less : call.cost(), free(is.previous, is.count, left(now)));
            Stored kept = granted > 0
                    ? new Stored(period, is.since, Math.max(now, is.last), is.previous,
                            Math.min(is.count + granted, MAX_PERMITS_KEPT))
                    : new Stored(period, is.since, is.last, 0, is.previous + is.count);
            return new OperationResult(new Reply(SlidingWindow.this, granted, is.previous, is.count),
                    call.manner() != OperationKind.PEEK && (granted > 0 || outdated) ? () -> kept : null, kept.endsAt());
        }
    }

    /**
     * Refunds permits.
     *
     * @param returned number of permits
     * @param takenAt when they were acquired
     */
    private final class Refund implements RefundOperation {

        private final long returned, takenAt;

        Refund(long returned, long takenAt) {
            this.returned = returned;
            this.takenAt = takenAt;
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN)
                    .putInt((int) returned).putDouble(period).putDouble(takenAt).array();
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            if (!(stored instanceof Stored was) || was.period != period || takenAt < was.since) {
                return OperationResult.allowed(null, 0);
            }
            long windows = -was.windows(takenAt);
            if (windows < 0 || windows > 1) {
                return OperationResult.allowed(null, 0);
            }
            Stored left = new Stored(period, was.since, was.last,
                    windows == 1 ? Math.max(0, was.previous - returned) : was.previous,
                    windows == 0 ? Math.max(0, was.count - returned) : was.count);
            return OperationResult.allowed(left.endsAt() <= now ? () -> null : () -> left, left.endsAt());
        }
    }
}
