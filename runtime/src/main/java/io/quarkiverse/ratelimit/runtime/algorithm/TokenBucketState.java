package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.Supplier;

/** What a key of a token bucket holds: how much was in use of which bucket as of when. */
record TokenBucketState(TokenBucket bucket, long at, long level, long rest) implements Supplier<Object> {

    /** It need not be made when it is to be stored, as verdicts have it. */
    @Override
    public Object get() {
        return this;
    }

    TokenBucketState current(long now) {
        return new TokenBucketState(bucket, at(now), level(now), rest(now));
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

    boolean isNothing() {
        return level + rest == 0;
    }

    long fullAt() {
        return bucket.interval() ? at + bucket.refills(level) * bucket.period() : at + level + 1;
    }
}
