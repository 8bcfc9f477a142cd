package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/**
 * What a key of a token bucket holds: how much was in use of which bucket as of when.
 *
 * @param since when it counts without a break: it was full then, or its numbers were changed
 * @param refunded when the first of the calls was made that were refunded, or {@link #NOT_REFUNDED}
 * @param points tell its calls apart; {@code null} where nothing does
 */
record TokenBucketState(TokenBucket bucket, long at, long level, long rest, long since, long refunded,
        TokenBucketPoints points) implements Supplier<Object>, Growing {

    static final long NOT_REFUNDED = 1L << 53;

    /** It need not be made when it is to be stored, as verdicts have it. */
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

    /** As of when the level is known now: refilled at once, since the last refill. */
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

    /** Where the time was ahead, nobody knows what calls before that still hold. */
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
