package io.quarkiverse.ratelimit.runtime.algorithm;

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
    private final long cost, longestWait;
    private final byte[] arguments;
    private final LocalTokenBucket local;

    /** @param bucket the bucket to acquire from */
    TokenBucketAcquire(TokenBucket bucket, PermitRequest requested) {
        super(bucket, requested);
        this.bucket = bucket;
        this.cost = capped(requested.cost());
        this.longestWait = bucket.longestWait(requested);
        this.local = new LocalTokenBucket(bucket, requested, cost);
        this.arguments = ARGUMENTS.pack(requested.kind().ordinal(), bucket.interval() ? 1 : 0, cost, requested.least(),
                bucket.permits(),
                bucket.period(), bucket.level(cost), bucket.levelRest(cost), bucket.burstLevel(), bucket.burstRest(),
                longestWait);
    }

    @Override
    public ScriptFile function() {
        return requested.refundable() ? ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED : ScriptFile.TOKEN_BUCKET_ACQUIRE;
    }

    @Override
    public Set<ScriptFile> files() {
        return requested.kind() == OperationKind.PREFETCH ? PREFETCH
                : requested.refundable() ? TRACKED : requested.kind() == OperationKind.ACQUIRE_UP_TO ? UP_TO : ALL_OR_NONE;
    }

    /** Calls that may be delayed are not merged, because each of them has its own delay. */
    @Override
    public Mergeable merging() {
        return longestWait == 0 ? super.merging() : null;
    }

    @Override
    public LimitReply reply(long granted, long level, long rest, long nextRefill, long fourth) {
        return new TokenBucket.Reply(bucket, granted, level, rest, nextRefill);
    }

    @Override
    public byte[] arguments(long now) {
        return arguments;
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        return local.decide(stored, now, newCost > 0 ? newCost : cost);
    }

    /** Caps the cost: more than the burst is never allowed, and a CHARGE never raises the level above its maximum. */
    private long capped(long cost) {
        if (requested.kind() != OperationKind.CHARGE) {
            return Math.min(cost, bucket.burst() + 1);
        }
        if (bucket.interval()) {
            return Math.min(cost, bucket.most());
        }
        double most = (double) bucket.most() / bucket.period() * bucket.permits();
        return Math.min(cost, (long) Math.min(LimitRule.MAX_PERMITS_KEPT, most) + 1);
    }
}
