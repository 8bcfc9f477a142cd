package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;

/**
 * Counts by a token bucket; {@code token_bucket.lua} explains the algorithm and does the same arithmetic.
 *
 * <p>
 * A number of permits n takes {@code n * period / permits} to come back. Refilled evenly this is kept as whole
 * microseconds and a rest in {@code 1/permits} of one, so that every rate is exact.
 */
record TokenBucket(Limit limit, boolean interval, long permits, long period, long burst, long maxWait) implements LimitRule {

    static final String SCRIPT = "token_bucket";
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
    public Act take(Call call) {
        return new TokenBucketTake(this, call);
    }

    @Override
    public Act giveBack(LimitState taken, long at, long cost, long id) {
        boolean roundedUp = !interval && period % permits != 0;
        long resetAfter = taken.resetAfter().toNanos() / 1000;
        return new TokenBucketGiveBack(this, mayBeCutOff(resetAfter) ? 0 : cost, at, at + resetAfter - (roundedUp ? 1 : 0));
    }

    /** Whether so much is in use that more might not have been kept: nobody knows how much that call has added. */
    private boolean mayBeCutOff(long resetAfter) {
        return resetAfter > (interval ? (refills(most()) - 1) * period : MAX_FILL_TIME - 1);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean admitted = reply[at] > 0;
        long level = reply[at + 1];
        long rest = reply[at + 2];
        if (charged) {
            level += level(reply[at]);
            rest += levelRest(reply[at]);
        }
        level = Math.min(level, most());
        boolean waits = charged && call.manner() == Manner.TAKE;
        long refusedCost = admitted || call.least() > burst ? 0 : call.least();
        long longestWait = longestWait(call);
        return interval ? stateAtOnce(name, admitted, waits, level, reply[at + 3], refusedCost, longestWait)
                : stateEvenly(name, admitted, waits, level + rest / permits, rest % permits, refusedCost, longestWait);
    }

    private LimitState stateEvenly(String name, boolean admitted, boolean waits, long level, long rest, long refusedCost,
            long longestWait) {
        long remaining = remaining(level, rest);
        return new LimitState(name, limit, admitted, burst, remaining,
                waits ? until(0, level, rest) : Duration.ZERO,
                refusedCost == 0 ? Duration.ZERO : until(refusedCost, level - longestWait, rest),
                remaining == burst ? Duration.ZERO : until(remaining + 1, level, rest),
                micros(rest > 0 ? level + 1 : level));
    }

    private LimitState stateAtOnce(String name, boolean admitted, boolean waits, long used, long nextRefill, long refusedCost,
            long longestWait) {
        long remaining = available(used, 0);
        return new LimitState(name, limit, admitted, burst, remaining,
                waits && used > burst ? afterRefills(refills(used - burst), nextRefill) : Duration.ZERO,
                refusedCost == 0 ? Duration.ZERO
                        : afterRefills(refills(used + refusedCost - burst), nextRefill).minus(micros(longestWait)),
                remaining == burst ? Duration.ZERO : afterRefills(refills(used + remaining + 1 - burst), nextRefill),
                used == 0 ? Duration.ZERO : afterRefills(refills(used), nextRefill));
    }

    /** Whether a level means the same in both. */
    boolean countsLike(TokenBucket other) {
        return interval == other.interval && permits == other.permits && period == other.period;
    }

    long longestWait(Call call) {
        boolean waits = call.manner() == Manner.TAKE || call.manner() == Manner.PEEK;
        return waits && call.cost() <= burst ? maxWait : 0;
    }

    /** The highest level that is kept. */
    long most() {
        return interval ? (long) Math.min(MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period)) : MAX_FILL_TIME;
    }

    /** So many permits in the unit of the level. */
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
     * The largest number of permits that fits beside the level: what is free, in 1/permits us, by the period. It is
     * estimated first, so that what the estimate leaves over fits into a long, even where the products do not.
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

    /** How many permits are left beside the level, in its unit. */
    long available(long level, long rest) {
        return interval ? Math.max(0, burst - level) : remaining(level, rest);
    }

    /** How long until so many permits fit beside the level, rounded up to the microsecond. */
    private Duration until(long count, long level, long rest) {
        long over = level + whole(count) - whole(burst);
        return micros(Math.max(0, over + Math.floorDiv(rest + rest(count) - rest(burst) + permits - 1, permits)));
    }

    long refills(long count) {
        return (count + permits - 1) / permits;
    }

    private Duration afterRefills(long refills, long nextRefill) {
        return micros(nextRefill + (refills - 1) * period);
    }
}
