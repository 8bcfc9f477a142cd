package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;

/**
 * Counts by a token bucket. The scripts of {@code token_bucket} explain the algorithm and compute the same. The level is the
 * amount in use, not the permits that remain: a call raises it, and the refill lowers it.
 *
 * <p>
 * The refill of n permits lasts {@code n * period / permits}. With an even refill, this time is kept as whole
 * microseconds and a rest in {@code 1/permits} microseconds, so every rate is exact.
 *
 * @param burstLevel the level when all permits are in use; {@code burstRest} belongs to it
 */
record TokenBucket(Limit limit, boolean interval, long permits, long period, long burst, long maxWait, long burstLevel,
        long burstRest) implements LimitRule {

    static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    TokenBucket(Limit limit) {
        this(limit, limit.refill() == Refill.INTERVAL, limit.permits(), limit.period().toNanos() / 1000, limit.burst(),
                limit.maxWait().toNanos() / 1000);
    }

    private TokenBucket(Limit limit, boolean interval, long permits, long period, long burst, long maxWait) {
        this(limit, interval, permits, period, burst, maxWait, interval ? burst : whole(burst, period, permits),
                interval ? 0 : rest(burst, period, permits));
    }

    @Override
    public long fillTime(long now) {
        return interval ? refills(burst) * period : burstLevel + (burstRest > 0 ? 1 : 0);
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        return new TokenBucketAcquire(this, requested);
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
        return TokenBucketRefund.of(this, decided.resetAfter(), at, cost);
    }

    /** Whether a level has the same meaning in both buckets. */
    boolean countsLike(TokenBucket other) {
        return interval == other.interval && permits == other.permits && period == other.period;
    }

    long longestWait(PermitRequest requested) {
        boolean waits = requested.kind() == OperationKind.ACQUIRE || requested.kind() == OperationKind.PEEK;
        return waits && requested.cost() <= burst ? maxWait : 0;
    }

    /** The highest level that is stored. */
    long most() {
        return interval ? (long) Math.min((double) MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period))
                : MAX_FILL_TIME;
    }

    /** This number of permits in the unit of the level. */
    long level(long count) {
        return interval ? count : whole(count, period, permits);
    }

    long levelRest(long count) {
        return interval ? 0 : rest(count, period, permits);
    }

    private static long whole(long count, long period, long permits) {
        return count * (period / permits) + count * (period % permits) / permits;
    }

    private static long rest(long count, long period, long permits) {
        return count * (period % permits) % permits;
    }

    /**
     * How many permits are available at this level. With an even refill, this is the largest number that fits in addition to
     * the level: the free time, in 1/permits us, divided by the period. It is estimated first, so that the remainder fits into
     * a long even if the products do not.
     */
    long available(long level, long rest) {
        long free = burstLevel - level;
        long freeRest = burstRest - rest;
        if (interval || free < 0) {
            return Math.max(0, free);
        }
        long estimate = Math.min(burst, (long) (free / (double) period * permits));
        long left = free * permits + freeRest - estimate * period;
        return Math.max(0, estimate + Math.floorDiv(left, period));
    }

    /** How long until this number of permits fits in addition to the level, rounded up to the microsecond. */
    Duration until(long count, long level, long rest) {
        long over = level + level(count) - burstLevel;
        return micros(Math.max(0, over + Math.floorDiv(rest + levelRest(count) - burstRest + permits - 1, permits)));
    }

    long refills(long count) {
        return (count + permits - 1) / permits;
    }

    /**
     * The reply of a token bucket.
     *
     * @param level what was in use, in the unit of {@link TokenBucketState}; {@code rest} belongs to it
     * @param nextRefill microseconds until the next refill where permits come back together, otherwise 0
     */
    record Reply(TokenBucket bucket, long granted, long level, long rest, long nextRefill) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0;
            long level = Math.min(this.level + (charged ? bucket.level(granted) : 0), bucket.most());
            long rest = this.rest + (charged ? bucket.levelRest(granted) : 0);
            boolean waits = charged && requested.kind() == OperationKind.ACQUIRE;
            long deniedCost = allowed || requested.least() > bucket.burst() ? 0 : requested.least();
            long longestWait = bucket.longestWait(requested);
            return bucket.interval() ? atIntervals(name, waits, level, deniedCost, longestWait)
                    : evenly(name, waits, level + rest / bucket.permits(), rest % bucket.permits(), deniedCost, longestWait);
        }

        /** With an even refill. */
        private LimitState evenly(String name, boolean waits, long level, long rest, long deniedCost, long longestWait) {
            long remaining = bucket.available(level, rest);
            return new LimitUsage(name, bucket.limit(), granted > 0, bucket.burst(), remaining,
                    waits && level >= bucket.burstLevel() ? bucket.until(0, level, rest) : Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO : bucket.until(deniedCost, level - longestWait, rest),
                    remaining == bucket.burst() ? Duration.ZERO : bucket.until(remaining + 1, level, rest),
                    micros(rest > 0 ? level + 1 : level));
        }

        /** With a refill at intervals, when permits come back together. */
        private LimitState atIntervals(String name, boolean waits, long used, long deniedCost, long longestWait) {
            long remaining = bucket.available(used, 0), burst = bucket.burst();
            return new LimitUsage(name, bucket.limit(), granted > 0, burst, remaining,
                    waits && used > burst ? untilReturned(used - burst) : Duration.ZERO,
                    deniedCost == 0 ? Duration.ZERO : untilReturned(used + deniedCost - burst).minus(micros(longestWait)),
                    remaining == burst ? Duration.ZERO : untilReturned(used + remaining + 1 - burst),
                    used == 0 ? Duration.ZERO : untilReturned(used));
        }

        private Duration untilReturned(long count) {
            return micros(nextRefill + (bucket.refills(count) - 1) * bucket.period());
        }

        @Override
        public LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            Reply later;
            if (bucket.interval()) {
                long refills = micros < nextRefill ? 0 : 1 + (micros - nextRefill) / bucket.period();
                later = new Reply(bucket, granted, level - refills * bucket.permits(), rest,
                        nextRefill + refills * bucket.period() - micros);
            } else {
                later = new Reply(bucket, granted, level - micros, rest, nextRefill);
            }
            return later.state(name, requested, now + micros, charged);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            return new Reply(bucket, bucket.available(level, rest) < cost ? 0 : cost, level, rest, nextRefill);
        }

        @Override
        public UsageReply afterCharge(long cost) {
            long sum = rest + bucket.levelRest(cost);
            return new Reply(bucket, granted, level + bucket.level(cost) + sum / bucket.permits(),
                    sum % bucket.permits(), nextRefill);
        }
    }
}
