package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;

/**
 * Counts by a token bucket. The scripts of {@code token_bucket} explain the algorithm and compute the same.
 *
 * @param burst the capacity in permits
 * @param maxWait microseconds
 * @param capacity the level when all permits are in use
 */
public record TokenBucket(Limit limit, Rate rate, long burst, long maxWait, Level capacity) implements LimitRule {

    public TokenBucket(Limit limit) {
        this(limit, new Rate(limit.refill() == Refill.INTERVAL, limit.permits(), micros(limit.period())));
    }

    private TokenBucket(Limit limit, Rate rate) {
        this(limit, rate, limit.burst(), micros(limit.maxWait()), rate.level(limit.burst()));
    }

    @Override
    public long fillTime(long now) {
        return rate.interval() ? rate.refills(burst) * rate.period() : capacity.whole() + (capacity.rest() > 0 ? 1 : 0);
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new TokenBucketAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return TokenBucketRefund.of(rate, micros(decided.resetAfter()), at, cost);
    }

    /** The longest delay of the call. */
    long longestWait(PermitRequest requested) {
        boolean waits = requested.kind() == OperationKind.ACQUIRE || requested.kind() == OperationKind.PEEK;
        return waits && requested.cost() <= burst ? maxWait : 0;
    }

    /**
     * How many permits are available at this level. With an even refill, this is the largest number that fits in addition to
     * the level: the free time, in 1/permits us, divided by the period. It is estimated first, so that the remainder fits into
     * a long even if the products do not.
     */
    long available(Level level) {
        long free = capacity.whole() - level.whole();
        if (rate.interval() || free < 0) {
            return Math.max(0, free);
        }
        long permits = rate.permits(), period = rate.period();
        long estimate = Math.min(burst, (long) (free / (double) period * permits));
        long remainder = free * permits + capacity.rest() - level.rest() - estimate * period;
        return Math.max(0, estimate + Math.floorDiv(remainder, period));
    }

    /** With an even refill, how long until this number of permits fits in addition to the level, in whole microseconds. */
    Duration until(long count, Level level) {
        Level sum = rate.sum(level, rate.level(count));
        return micros(Math.max(0, sum.whole() - capacity.whole() + (sum.rest() > capacity.rest() ? 1 : 0)));
    }

    /**
     * The reply of a token bucket.
     *
     * @param level what was in use, as a {@link Level} with {@code rest}
     * @param nextRefill microseconds until the next refill if permits come back together, otherwise 0
     */
    record Reply(TokenBucket bucket, long granted, long level, long rest, long nextRefill) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean waits = charged && requested.kind() == OperationKind.ACQUIRE;
            long deniedCost = granted > 0 || requested.least() > bucket.burst ? 0 : requested.least();
            long longestWait = bucket.longestWait(requested);
            Level after = with(charged ? granted : 0);
            return bucket.rate.interval() ? atIntervals(name, waits, after.whole(), deniedCost, longestWait)
                    : evenly(name, waits, after, deniedCost, longestWait);
        }

        private Level with(long permits) {
            return bucket.rate.sum(new Level(level, rest), bucket.rate.level(permits));
        }

        /** With an even refill. */
        private LimitState evenly(String name, boolean waits, Level after, long deniedCost, long longestWait) {
            Level inUse = new Level(Math.min(after.whole(), bucket.rate.highest()), after.rest());
            long remaining = bucket.available(inUse);
            return new LimitUsage(name, bucket.limit, granted > 0, bucket.burst, remaining,
                    waits ? bucket.until(0, inUse) : Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO
                            : bucket.until(deniedCost, new Level(inUse.whole() - longestWait, inUse.rest())),
                    remaining == bucket.burst ? Duration.ZERO : bucket.until(remaining + 1, inUse),
                    micros(inUse.rest() > 0 ? inUse.whole() + 1 : inUse.whole()));
        }

        /** With a refill at intervals, when permits come back together. */
        private LimitState atIntervals(String name, boolean waits, long after, long deniedCost, long longestWait) {
            long used = Math.min(after, bucket.rate.highest()), burst = bucket.burst;
            long remaining = Math.max(0, burst - used);
            return new LimitUsage(name, bucket.limit, granted > 0, burst, remaining,
                    waits && used > burst ? untilReturned(used - burst) : Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO : untilReturned(used + deniedCost - burst).minus(micros(longestWait)),
                    remaining == burst ? Duration.ZERO : untilReturned(used + remaining + 1 - burst),
                    used == 0 ? Duration.ZERO : untilReturned(used));
        }

        private Duration untilReturned(long count) {
            return micros(nextRefill + (bucket.rate.refills(count) - 1) * bucket.rate.period());
        }

        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            Rate rate = bucket.rate;
            long refills = !rate.interval() || micros < nextRefill ? 0 : 1 + (micros - nextRefill) / rate.period();
            long returned = rate.interval() ? refills * rate.permits() : micros;
            Reply later = new Reply(bucket, granted, level - returned, rest,
                    rate.interval() ? nextRefill + refills * rate.period() - micros : 0);
            return later.state(name, requested, now + micros, charged);
        }

        @Override
        public Object stored(long now) {
            long time = bucket.rate.interval() ? now + nextRefill - bucket.rate.period() : now;
            return new TokenBucketState(bucket.rate, time, level, rest, now, TokenBucketState.NOT_REFUNDED, null);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            return new Reply(bucket, bucket.available(new Level(level, rest)) < cost ? 0 : cost, level, rest, nextRefill);
        }

        @Override
        public UsageReply afterCharge(long cost) {
            Level after = with(cost);
            return new Reply(bucket, granted, after.whole(), after.rest(), nextRefill);
        }
    }

    /**
     * How permits come back to a token bucket: evenly, or together at intervals. Levels of equal rates have the same meaning.
     *
     * <p>
     * If they come back evenly, a level is the time in which it comes back: whole microseconds, and a rest in {@code 1/permits}
     * microseconds, so that every rate is exact. At intervals, a level is a number of permits.
     *
     * @param interval whether {@code permits} come back together after each {@code period}
     * @param period microseconds
     * @param emissionInterval the level of one permit
     * @param highest the highest level that is stored
     */
    record Rate(boolean interval, long permits, long period, Level emissionInterval, long highest) {

        static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

        Rate(boolean interval, long permits, long period) {
            this(interval, permits, period, interval ? new Level(1, 0) : new Level(period / permits, period % permits),
                    interval ? (long) Math.min((double) MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period))
                            : MAX_FILL_TIME);
        }

        /** The level of this number of permits. */
        Level level(long count) {
            long whole = count * emissionInterval.whole(), rest = (count & 32767) * emissionInterval.rest();
            if (count > 32767) {
                // in two steps, because the product of large numbers overflows
                long high = (count >> 15) * emissionInterval.rest();
                whole += high / permits << 15;
                rest += high % permits << 15;
            }
            return new Level(whole + rest / permits, rest % permits);
        }

        Level sum(Level one, Level other) {
            long rest = one.rest() + other.rest();
            long carry = rest < permits ? 0 : 1;
            return new Level(one.whole() + other.whole() + carry, rest - carry * permits);
        }

        /** The first level without the second. Its whole part may be negative. */
        Level difference(Level level, Level less) {
            long rest = level.rest() - less.rest();
            long carry = rest < 0 ? 1 : 0;
            return new Level(level.whole() - less.whole() - carry, rest + carry * permits);
        }

        /** How many refills bring back this number of permits. */
        long refills(long count) {
            return (count + permits - 1) / permits;
        }

        /**
         * How much of a token bucket is in use. A call raises it, and the refill lowers it. The rate defines its unit.
         *
         * @param rest a part of the unit, in {@code 1/permits}
         */
        record Level(long whole, long rest) {

            static final Level NONE = new Level(0, 0);

            boolean isNone() {
                return whole + rest == 0;
            }

            boolean exceeds(Level other) {
                return whole > other.whole || whole == other.whole && rest > other.rest;
            }

            Level orMore(Level other) {
                return other.exceeds(this) ? other : this;
            }

            Level orLess(Level other) {
                return exceeds(other) ? other : this;
            }
        }
    }
}
