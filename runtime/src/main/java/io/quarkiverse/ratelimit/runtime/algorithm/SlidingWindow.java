package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.math.BigInteger;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by a sliding window. The scripts of {@code sliding_window} explain the algorithm and compute the same. */
record SlidingWindow(Limit limit, long permits, long period) implements LimitRule {

    SlidingWindow(Limit limit) {
        this(limit, limit.permits(), limit.period().toNanos() / 1000);
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
    Duration until(long cost, long previous, long count, long left) {
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

    long free(long previous, long count, long left) {
        return permits - count + floor(-previous, left, period);
    }

    /** How much of the current window is left. The same share of the previous window still counts. */
    long left(long now) {
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
}
