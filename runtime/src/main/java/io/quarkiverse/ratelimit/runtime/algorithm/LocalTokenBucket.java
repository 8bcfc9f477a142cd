package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketState.NOT_REFUNDED;

/** Acquires permits from a token bucket in the memory of this instance, like {@code token_bucket/acquire.lua}. */
final class LocalTokenBucket {

    private final TokenBucket bucket;
    private final PermitRequest call;
    private final long cost, costLevel, costRest, longestWait;
    private final TokenBucketState nothing;

    /** @param cost how many permits are usually requested */
    LocalTokenBucket(TokenBucket bucket, PermitRequest call, long cost) {
        this.bucket = bucket;
        this.call = call;
        this.nothing = new TokenBucketState(bucket, 0, 0, 0, 0, NOT_REFUNDED, null);
        this.cost = cost;
        this.costLevel = bucket.level(cost);
        this.costRest = bucket.levelRest(cost);
        this.longestWait = bucket.longestWait(call);
    }

    /**
     * @param stored the state of the bucket; {@code null} for a full one
     * @param requested number of permits
     */
    OperationResult decide(Object stored, long now, long requested) {
        TokenBucketState is = stored instanceof TokenBucketState was ? converted(was, now) : nothing;
        long at = is.at(now), level = is.level(now), rest = is.rest(now);
        boolean begins = level + rest == 0 || is != stored;
        long since = begins ? now : is.since(now), refunded = begins ? NOT_REFUNDED : is.refunded();
        boolean outdated = is == stored ? is.at() > now && level + rest > 0 : is != nothing;
        TokenBucketState sum = requested == cost ? sumOf(at, level, rest, since, refunded, costLevel, costRest)
                : sumOf(at, level, rest, since, refunded, requested);
        long granted = requested;
        if (call.kind() == OperationKind.CHARGE) {
            sum = new TokenBucketState(bucket, at, Math.min(sum.level(), bucket.most()), sum.rest(), since, refunded, null);
        } else if (call.kind() == OperationKind.PREFETCH || !fits(sum, now)) {
            granted = part(granted, level, rest);
            sum = granted > 0 ? sumOf(at, level, rest, since, refunded, granted)
                    : new TokenBucketState(bucket, at, level, rest, since, refunded, null);
        }
        if (call.refundable() && granted > 0 && call.kind() != OperationKind.PEEK) {
            sum = sum.with(TokenBucketPoints.of(stored, since, now).plus(sum, granted, now));
        }
        TokenBucket.Reply reply = new TokenBucket.Reply(bucket, granted, level, rest,
                bucket.interval() ? at + bucket.period() - now : 0);
        return new OperationResult(reply, call.kind() != OperationKind.PEEK && (granted > 0 || outdated) ? sum : null,
                sum.fullAt());
    }

    /** The permits that a call gets if it accepts fewer than it requests. */
    private long part(long requested, long level, long rest) {
        return switch (call.kind()) {
            case ACQUIRE_UP_TO -> call.granted(requested, bucket.available(level, rest));
            case PREFETCH -> call.prefetched(requested, bucket.available(level, rest), bucket.burst());
            default -> 0;
        };
    }

    /** Converts the state to the current limit: the permits in use are carried over. */
    private TokenBucketState converted(TokenBucketState was, long now) {
        TokenBucket then = was.bucket();
        if (then.countsLike(bucket)) {
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

    private TokenBucketState sumOf(long at, long level, long rest, long since, long refunded, long count) {
        return sumOf(at, level, rest, since, refunded, bucket.level(count), bucket.levelRest(count));
    }

    private TokenBucketState sumOf(long at, long level, long rest, long since, long refunded, long moreLevel,
            long moreRest) {
        long sum = rest + moreRest;
        boolean carry = sum >= bucket.permits();
        return new TokenBucketState(bucket, at, level + moreLevel + (carry ? 1 : 0), carry ? sum - bucket.permits() : sum,
                since, refunded, null);
    }

    private boolean fits(TokenBucketState sum, long now) {
        if (bucket.interval()) {
            return sum.level() <= bucket.burst()
                    || sum.at() + bucket.refills(sum.level() - bucket.burst()) * bucket.period() - now <= longestWait;
        }
        long full = bucket.burstLevel() + longestWait;
        return sum.level() < full || (sum.level() == full && sum.rest() <= bucket.burstRest());
    }
}
