package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;

/**
 * Counts by a token bucket. The scripts of {@code token_bucket} explain the algorithm and compute
 * the same.
 *
 * <p>
 * A number of permits n takes {@code n * period / permits} to come back. With an even refill, this time is kept as whole
 * microseconds and a rest in {@code 1/permits} microseconds, so every rate is exact.
 */
record TokenBucket(Limit limit, boolean interval, long permits, long period, long burst, long maxWait) implements LimitRule {

    static final double MAX_PERMITS_KEPT = 1e15;
    static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    TokenBucket(Limit limit) {
        this(limit, limit.refill() == Refill.INTERVAL, limit.permits(), limit.period().toNanos() / 1000, limit.burst(),
                limit.maxWait().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return interval ? refills(burst) * period : whole(burst) + (rest(burst) > 0 ? 1 : 0);
    }

    @Override
    public Operation acquire(Call call) {
        return new TokenBucketAcquire(this, call);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        boolean roundedUp = !interval && period % permits != 0;
        long resetAfter = decided.resetAfter().toNanos() / 1000;
        return new TokenBucketRefund(this, mayBeCutOff(resetAfter) ? 0 : cost, at, at + resetAfter - (roundedUp ? 1 : 0));
    }

    /** Whether the level may have reached its maximum. In that case it is unknown how much the call has added. */
    private boolean mayBeCutOff(long resetAfter) {
        return resetAfter > (interval ? (refills(most()) - 1) * period : MAX_FILL_TIME - 1);
    }

    /** Whether a level has the same meaning in both buckets. */
    boolean countsLike(TokenBucket other) {
        return interval == other.interval && permits == other.permits && period == other.period;
    }

    long longestWait(Call call) {
        boolean waits = call.kind() == OperationKind.ACQUIRE || call.kind() == OperationKind.PEEK;
        return waits && call.cost() <= burst ? maxWait : 0;
    }

    /** The highest level that is stored. */
    long most() {
        return interval ? (long) Math.min(MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period)) : MAX_FILL_TIME;
    }

    /** This number of permits in the unit of the level. */
    long level(long count) {
        return interval ? count : whole(count);
    }

    long levelRest(long count) {
        return interval ? 0 : rest(count);
    }

    long whole(long count) {
        return count * (period / permits) + count * (period % permits) / permits;
    }

    long rest(long count) {
        return count * (period % permits) % permits;
    }

    /**
     * The largest number of permits that fits in addition to the level: the free time, in 1/permits us, divided by the
     * period. It is estimated first, so that the remainder fits into a long even if the products do not.
     */
    private long remaining(long level, long rest) {
        long free = whole(burst) - level;
        long freeRest = rest(burst) - rest;
        if (free < 0) {
            return 0;
        }
        long estimate = Math.min(burst, (long) (free / (double) period * permits));
        long left = free * permits + freeRest - estimate * period;
        return Math.max(0, estimate + Math.floorDiv(left, period));
    }

    /** How many permits are available at this level. */
    long available(long level, long rest) {
        return interval ? Math.max(0, burst - level) : remaining(level, rest);
    }

    /** How long until this number of permits fits in addition to the level, rounded up to the microsecond. */
    Duration until(long count, long level, long rest) {
        long over = level + whole(count) - whole(burst);
        return micros(Math.max(0, over + Math.floorDiv(rest + rest(count) - rest(burst) + permits - 1, permits)));
    }

    long refills(long count) {
        return (count + permits - 1) / permits;
    }
}
