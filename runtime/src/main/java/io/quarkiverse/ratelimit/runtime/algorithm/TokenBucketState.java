package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/**
 * The state of a token bucket: the bucket, and how much of it was in use at a given time.
 *
 * @param since the time since when it counts without a break: the bucket was full then, or the limit changed
 * @param refunded the time of the earliest refunded call, or {@link #NOT_REFUNDED}
 * @param points tracks the calls; {@code null} if they are not tracked
 */
record TokenBucketState(TokenBucket bucket, long at, long level, long rest, long since, long refunded,
        TokenBucketPoints points) implements Supplier<Object>, Weighted {

    static final long NOT_REFUNDED = 1L << 53;

    /** Returns this state itself, so that an {@link OperationResult} needs no extra object. */
    @Override
    public Object get() {
        return this;
    }

    @Override
    public int weight() {
        return points == null ? 0 : points.weight();
    }

    TokenBucketState current(long now) {
        return new TokenBucketState(bucket, at(now), level(now), rest(now), since(now), refunded, points);
    }

    TokenBucketState with(TokenBucketPoints others) {
        return new TokenBucketState(bucket, at, level, rest, since, refunded, others);
    }

    /** The time of the current level: the last refill if permits come back together, else now. */
    long at(long now) {
        return bucket.interval() && now > at && now < fullAt() ? now - (now - at) % bucket.period() : now;
    }

    /** What is left of the level now. */
    long level(long now) {
        if (now <= at) {
            return level;
        }
        if (bucket.interval()) {
            return now < fullAt() ? level - (now - at) / bucket.period() * bucket.permits() : 0;
        }
        return Math.max(0, level - (now - at));
    }

    /** What is left of the rest now. */
    long rest(long now) {
        return now - at > level ? 0 : rest;
    }

    /** Since when the state counts. If {@code at} is in the future, it is unknown how much earlier calls still hold. */
    long since(long now) {
        return at > now ? Math.max(since, at + 1) : since;
    }

    boolean isNothing() {
        return level + rest == 0;
    }

    long fullAt() {
        return bucket.interval() ? at + bucket.refills(level) * bucket.period() : at + level + 1;
    }
}
