package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;

/**
 * The state of a token bucket: how much of it was in use at a given time.
 *
 * @param time the time of the level: the last refill if permits come back together, otherwise that of the last write
 * @param since the time since when it counts without a break: the bucket was full then, or the limit changed
 * @param refunded the time of the earliest refunded call, or {@link #NOT_REFUNDED}
 * @param points tracks the calls; {@code null} if they are not tracked
 */
record TokenBucketState(Rate rate, long time, long level, long rest, long since, long refunded, TokenBucketPoints points)
        implements
            Supplier<Object>,
            OperationResult.Weighted {

    static final long NOT_REFUNDED = 1L << 53;

    /** The state of a full bucket. */
    TokenBucketState(Rate rate) {
        this(rate, 0, 0, 0, 0, NOT_REFUNDED, null);
    }

    /** Returns this state itself, so that an {@link OperationResult} needs no extra object. */
    @Override
    public Object get() {
        return this;
    }

    @Override
    public int weight() {
        return points == null ? 0 : points.weight();
    }

    /** This state as of now. */
    TokenBucketState current(long now) {
        return new TokenBucketState(rate, time(now), level(now), rest(now), since(now), refunded, points);
    }

    TokenBucketState with(TokenBucketPoints others) {
        return new TokenBucketState(rate, time, level, rest, since, refunded, others);
    }

    /** This state with this level, unless that is higher. */
    TokenBucketState lowered(Level other, long time, long since) {
        Level lower = inUse().orLess(other);
        return new TokenBucketState(rate, time, lower.whole(), lower.rest(), since, refunded, points);
    }

    /** This state, with the call at this time among those that were refunded. */
    TokenBucketState withRefundOf(long acquiredAt) {
        return new TokenBucketState(rate, time, level, rest, since, Math.min(refunded, acquiredAt), points);
    }

    /** This state if its rate is that of a full bucket. Otherwise the permits in use are carried over to that rate. */
    TokenBucketState convertedTo(TokenBucketState full, long now) {
        Rate other = full.rate;
        if (rate == other || rate.equals(other)) {
            return this;
        }
        Level inUse = inUse(now);
        if (inUse.isNone()) {
            return full;
        }
        double used = rate.interval() ? inUse.whole()
                : ((double) inUse.whole() * rate.permits() + inUse.rest()) / rate.period();
        if (other.interval()) {
            long lastRefill = now - time(now) >= other.period() ? now : time(now);
            return new TokenBucketState(other, lastRefill, (long) Math.ceil(Math.min(used, other.highest())), 0, now,
                    NOT_REFUNDED, null);
        }
        double fillTime = Math.min(used * other.period() / other.permits(), Rate.MAX_FILL_TIME);
        long whole = (long) fillTime;
        return new TokenBucketState(other, now, whole, (long) ((fillTime - whole) * other.permits()), now, NOT_REFUNDED, null);
    }

    /** The time of the level as of now. */
    long time(long now) {
        return rate.interval() && now > time && now < fullAt() ? now - (now - time) % rate.period() : now;
    }

    /** What was in use at the time of the level. */
    Level inUse() {
        return new Level(level, rest);
    }

    /** What is in use now. */
    Level inUse(long now) {
        return new Level(level(now), rest(now));
    }

    long level(long now) {
        if (now <= time) {
            return level;
        }
        if (rate.interval()) {
            return now < fullAt() ? level - (now - time) / rate.period() * rate.permits() : 0;
        }
        return Math.max(0, level - (now - time));
    }

    private long rest(long now) {
        return now - time > level ? 0 : rest;
    }

    /** What is in use now of permits acquired at a given time. If nothing is, the whole part is at most 0. */
    Level inUse(long count, long acquiredAt, long now) {
        if (rate.interval()) {
            long refills = Math.floorDiv(now - time, rate.period()) - Math.floorDiv(acquiredAt - time, rate.period());
            return new Level(count - refills * rate.permits(), 0);
        }
        Level acquired = rate.level(count);
        return new Level(acquired.whole() - (now - acquiredAt), acquired.rest());
    }

    /** Since when the state counts. If its time is in the future, it is unknown how much earlier calls still hold. */
    long since(long now) {
        return time > now ? Math.max(since, time + 1) : since;
    }

    boolean isFull() {
        return level + rest == 0;
    }

    /** When the bucket is full again. */
    long fullAt() {
        return rate.interval() ? time + rate.refills(level) * rate.period() : time + level + 1;
    }
}
