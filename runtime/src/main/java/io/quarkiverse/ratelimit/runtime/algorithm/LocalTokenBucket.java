package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketState.NOT_REFUNDED;

/** Acquires permits from a token bucket in the memory of this instance, like {@code token_bucket/acquire.lua}. */
final class LocalTokenBucket {

    private final TokenBucket bucket;
    private final PermitRequest requested;
    /** The usual number of permits, with its level and rest: they are calculated once. */
    private final long cost, costLevel, costRest;
    private final long longestWait;
    /** The highest level that a call may store. Only a charge can reach it: all other calls must fit. */
    private final long mostLevel;
    private final TokenBucketState nothing;

    /** @param cost how many permits are usually requested */
    LocalTokenBucket(TokenBucket bucket, PermitRequest requested, long cost) {
        this.bucket = bucket;
        this.requested = requested;
        this.nothing = new TokenBucketState(bucket, 0, 0, 0, 0, NOT_REFUNDED, null);
        this.cost = cost;
        this.costLevel = bucket.level(cost);
        this.costRest = bucket.levelRest(cost);
        this.longestWait = bucket.longestWait(requested);
        this.mostLevel = requested.kind() == OperationKind.CHARGE ? bucket.most() : Long.MAX_VALUE;
    }

    /**
     * @param stored the state of the bucket; {@code null} for a full one
     * @param count number of permits
     */
    OperationResult decide(Object stored, long now, long count) {
        TokenBucketState is = stored instanceof TokenBucketState was ? converted(was, now) : nothing;
        long at = is.at(now), level = is.level(now), rest = is.rest(now);
        long granted = granted(count, at, level, rest, now);
        TokenBucket.Reply reply = new TokenBucket.Reply(bucket, granted, level, rest,
                bucket.interval() ? at + bucket.period() - now : 0);
        // a clock that went back, or another limit: then even a denied call writes the state, to repair it
        boolean outdated = is == stored ? is.at() > now && level + rest > 0 : is != nothing;
        if (requested.kind() == OperationKind.PEEK || granted == 0 && !outdated) {
            return new OperationResult(reply, null, 0);
        }
        TokenBucketState after = stateAfter(granted, is, at, level, rest, now);
        if (requested.refundable() && granted > 0) {
            after = after.with(TokenBucketPoints.of(stored, after.since(), now).plus(after, granted, now));
        }
        return new OperationResult(reply, after, after.fullAt());
    }

    /** The state once these permits are granted. {@code at}, {@code level} and {@code rest} are the current ones. */
    private TokenBucketState stateAfter(long granted, TokenBucketState is, long at, long level, long rest, long now) {
        boolean begins = level + rest == 0;
        return new TokenBucketState(bucket, at, Math.min(levelWith(granted, level, rest), mostLevel),
                restWith(granted, rest), begins ? now : is.since(now), begins ? NOT_REFUNDED : is.refunded(), null);
    }

    /** How many of the requested permits the call gets. */
    private long granted(long count, long at, long level, long rest, long now) {
        return switch (requested.kind()) {
            case CHARGE -> count;
            case PREFETCH -> requested.prefetched(count, bucket.available(level, rest), bucket.burst());
            case ACQUIRE, PEEK -> fits(count, at, level, rest, now) ? count : 0;
            case ACQUIRE_UP_TO -> fits(count, at, level, rest, now) ? count
                    : requested.granted(count, bucket.available(level, rest));
        };
    }

    /** Whether so many permits are available, now or within the longest wait. */
    private boolean fits(long count, long at, long level, long rest, long now) {
        long sum = levelWith(count, level, rest);
        if (bucket.interval()) {
            return sum <= bucket.burst()
                    || at + bucket.refills(sum - bucket.burst()) * bucket.period() - now <= longestWait;
        }
        long full = bucket.burstLevel() + longestWait;
        return sum < full || (sum == full && restWith(count, rest) <= bucket.burstRest());
    }

    /** The level after this number of permits is added to it, with the carry from the rests. */
    private long levelWith(long count, long level, long rest) {
        boolean carry = rest + restOf(count) >= bucket.permits();
        return level + (count == cost ? costLevel : bucket.level(count)) + (carry ? 1 : 0);
    }

    /** The rest after this number of permits is added to it, without the carry. */
    private long restWith(long count, long rest) {
        long sum = rest + restOf(count);
        return sum >= bucket.permits() ? sum - bucket.permits() : sum;
    }

    private long restOf(long count) {
        return count == cost ? costRest : bucket.levelRest(count);
    }

    /** Converts the state to the current limit: the permits in use are carried over. */
    private TokenBucketState converted(TokenBucketState was, long now) {
        TokenBucket then = was.bucket();
        if (then == bucket || then.countsLike(bucket)) {
            return was;
        }
        long level = was.level(now), rest = was.rest(now);
        if (level + rest == 0) {
            return nothing;
        }
        double used = then.interval() ? level : ((double) level * then.permits() + rest) / then.period();
        if (bucket.interval()) {
            long at = was.at(now);
            return new TokenBucketState(bucket, now - at >= bucket.period() ? now : at,
                    (long) Math.ceil(Math.min(used, bucket.most())), 0, now, NOT_REFUNDED, null);
        }
        double time = Math.min(used * bucket.period() / bucket.permits(), TokenBucket.MAX_FILL_TIME);
        return new TokenBucketState(bucket, now, (long) time, (long) ((time - (long) time) * bucket.permits()), now,
                NOT_REFUNDED, null);
    }
}
