package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketState.NOT_REFUNDED;

import java.util.Set;

/** Acquires permits from a token bucket. */
final class TokenBucketAcquire extends AcquireOperation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_ACQUIRE, "ARGUMENTS");
    private static final Set<ScriptFile> ALL_OR_NONE = ScriptFile.set(ScriptFile.TOKEN_BUCKET_STATE,
            ScriptFile.TOKEN_BUCKET_ACQUIRE);
    private static final Set<ScriptFile> UP_TO = ScriptFile.set(ScriptFile.TOKEN_BUCKET_STATE, ScriptFile.TOKEN_BUCKET_LEVEL,
            ScriptFile.TOKEN_BUCKET_ACQUIRE);
    private static final Set<ScriptFile> TRACKED = ScriptFile.set(ScriptFile.TOKEN_BUCKET_STATE, ScriptFile.TOKEN_BUCKET_LEVEL,
            ScriptFile.TOKEN_BUCKET_ACQUIRE, ScriptFile.TOKEN_BUCKET_POINTS, ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED);

    private static final Set<ScriptFile> PREFETCH = ScriptFile.set(ScriptFile.PREFETCH, ScriptFile.TOKEN_BUCKET_STATE,
            ScriptFile.TOKEN_BUCKET_LEVEL, ScriptFile.TOKEN_BUCKET_ACQUIRE, ScriptFile.TOKEN_BUCKET_POINTS,
            ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED);

    private final TokenBucket bucket;
    private final long cost, costLevel, costRest, fullLevel, fullRest, longestWait;
    private final TokenBucketState nothing;
    private final byte[] arguments;

    /** @param bucket the bucket to acquire from */
    TokenBucketAcquire(TokenBucket bucket, Call call) {
        super(bucket, call);
        this.bucket = bucket;
        this.nothing = new TokenBucketState(bucket, 0, 0, 0, 0, NOT_REFUNDED, null);
        this.cost = capped(call.cost());
        this.costLevel = bucket.level(cost);
        this.costRest = bucket.levelRest(cost);
        this.fullLevel = bucket.level(bucket.burst());
        this.fullRest = bucket.levelRest(bucket.burst());
        this.longestWait = bucket.longestWait(call);
        this.arguments = ARGUMENTS.pack(call.kind().ordinal(), bucket.interval() ? 1 : 0, cost, call.least(), bucket.permits(),
                bucket.period(), costLevel, costRest, fullLevel, fullRest, longestWait);
    }

    @Override
    public ScriptFile function() {
        return call.refundable() ? ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED : ScriptFile.TOKEN_BUCKET_ACQUIRE;
    }

    @Override
    public Set<ScriptFile> files() {
        return call.kind() == OperationKind.PREFETCH ? PREFETCH
                : call.refundable() ? TRACKED : call.kind() == OperationKind.ACQUIRE_UP_TO ? UP_TO : ALL_OR_NONE;
    }

    /** Calls that may be delayed are not merged, because each of them has its own delay. */
    @Override
    public Mergeable merging() {
        return longestWait == 0 ? super.merging() : null;
    }

    @Override
    public LimitReply reply(ReplyNumbers numbers) {
        return new TokenBucketReply(bucket, numbers.granted(), numbers.first(), numbers.second(), numbers.third());
    }

    @Override
    public byte[] arguments(long now) {
        return arguments;
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        TokenBucketState is = stored instanceof TokenBucketState was ? converted(was, now) : nothing;
        long at = is.at(now), level = is.level(now), rest = is.rest(now);
        boolean begins = level + rest == 0 || is != stored;
        long since = begins ? now : is.since(now), refunded = begins ? NOT_REFUNDED : is.refunded();
        boolean outdated = is == stored ? is.at() > now && level + rest > 0 : is != nothing;
        TokenBucketState sum = newCost > 0 ? sumOf(at, level, rest, since, refunded, newCost)
                : sumOf(at, level, rest, since, refunded, costLevel, costRest);
        long granted = newCost > 0 ? newCost : cost;
        if (call.kind() == OperationKind.CHARGE) {
            sum = new TokenBucketState(bucket, at, Math.min(sum.level(), bucket.most()), sum.rest(), since, refunded, null);
        } else if (call.kind() == OperationKind.PREFETCH || !fits(sum, now)) {
            granted = part(granted, bucket.available(level, rest));
            sum = granted > 0 ? sumOf(at, level, rest, since, refunded, granted)
                    : new TokenBucketState(bucket, at, level, rest, since, refunded, null);
        }
        if (call.refundable() && granted > 0 && call.kind() != OperationKind.PEEK) {
            sum = sum.with(TokenBucketPoints.of(stored, since, now).plus(sum, granted, now));
        }
        TokenBucketReply reply = new TokenBucketReply(bucket, granted, level, rest,
                bucket.interval() ? at + bucket.period() - now : 0);
        return new OperationResult(reply, call.kind() != OperationKind.PEEK && (granted > 0 || outdated) ? sum : null,
                sum.fullAt());
    }

    /** How many of the requested permits a call gets that does not need all of them. */
    private long part(long requested, long available) {
        return switch (call.kind()) {
            case ACQUIRE_UP_TO -> call.granted(requested, available);
            case PREFETCH -> call.prefetched(requested, available, bucket.burst());
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
        long full = fullLevel + longestWait;
        return sum.level() < full || (sum.level() == full && sum.rest() <= fullRest);
    }

    /** Caps the cost: more than the burst is never allowed, and a CHARGE never raises the level above its maximum. */
    private long capped(long cost) {
        if (call.kind() != OperationKind.CHARGE) {
            return Math.min(cost, bucket.burst() + 1);
        }
        return Math.min(cost,
                bucket.interval() ? bucket.most()
                        : (long) Math.min(TokenBucket.MAX_PERMITS_KEPT,
                                (double) bucket.most() / bucket.period() * bucket.permits()) + 1);
    }
}
