package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucketState.NOT_REFUNDED;

import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;

/** Acquires permits from a token bucket. */
final class TokenBucketAcquire extends AcquireOperation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_ACQUIRE, "ARGUMENTS");
    private static final long UP_TO = ScriptFile.TOKEN_BUCKET_ACQUIRE.filesWith(ScriptFile.TOKEN_BUCKET_LEVEL);
    private static final long PREFETCH = ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED.filesWith(ScriptFile.PREFETCH);

    private final long files;
    private final TokenBucket bucket;
    private final Rate rate;
    private final long cost, longestWait;
    /** The level of the cost. */
    private final Level increment;
    /** The highest level after a call that is not a {@code CHARGE}. */
    private final Level highestAllowed;
    /** The highest level that a {@code CHARGE} stores. All other calls must fit. */
    private final long highestStored;
    private final TokenBucketState full;
    private final byte[] arguments;

    TokenBucketAcquire(TokenBucket bucket, PermitRequest requested) {
        super(bucket, requested);
        this.files = requested.kind() == OperationKind.PREFETCH ? PREFETCH
                : requested.kind() == OperationKind.ACQUIRE_UP_TO && !requested.refundable() ? UP_TO : function().files();
        this.bucket = bucket;
        this.rate = bucket.rate();
        this.cost = cappedCost();
        this.longestWait = bucket.longestWait(requested);
        this.increment = rate.level(cost);
        this.highestAllowed = new Level(bucket.capacity().whole() + longestWait, bucket.capacity().rest());
        this.highestStored = requested.kind() == OperationKind.CHARGE ? rate.highest() : Long.MAX_VALUE;
        this.full = new TokenBucketState(rate);
        this.arguments = ARGUMENTS.pack(requested.kind().ordinal(), rate.interval() ? 1 : 0, cost, requested.least(),
                rate.permits(), rate.period(), increment.whole(), increment.rest(), bucket.capacity().whole(),
                bucket.capacity().rest(), longestWait);
    }

    /** More than the burst is never allowed, and a {@code CHARGE} never raises the level above the highest one. */
    private long cappedCost() {
        if (requested.kind() != OperationKind.CHARGE) {
            return Math.min(requested.cost(), bucket.burst() + 1);
        }
        if (rate.interval()) {
            return Math.min(requested.cost(), rate.highest());
        }
        double highest = (double) rate.highest() / rate.period() * rate.permits();
        return Math.min(requested.cost(), (long) Math.min(LimitRule.MAX_PERMITS_KEPT, highest) + 1);
    }

    @Override
    public ScriptFile function() {
        return requested.refundable() ? ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED : ScriptFile.TOKEN_BUCKET_ACQUIRE;
    }

    @Override
    public long files() {
        return files;
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
    public OperationResult decide(Object value, long now, long newCost) {
        TokenBucketState stored = value instanceof TokenBucketState state ? state : full;
        TokenBucketState before = stored.convertedTo(full, now);
        Level level = before.inUse(now);
        long time = before.time(now);
        long granted = granted(newCost > 0 ? newCost : cost, level, time, now);
        TokenBucket.Reply reply = new TokenBucket.Reply(bucket, granted, level.whole(), level.rest(),
                rate.interval() ? time + rate.period() - now : 0);
        if (requested.kind() == OperationKind.PEEK || granted == 0 && !isOutdated(stored, before, now)) {
            return new OperationResult(reply, null, 0);
        }
        TokenBucketState after = after(granted, before, level, time, now);
        if (requested.refundable() && granted > 0) {
            after = after.with(TokenBucketPoints.of(value, after.since(), now).plus(after, granted, now));
        }
        return new OperationResult(reply, after, after.fullAt());
    }

    /** Whether even a denied call writes the state, to repair it: a clock went back, or the rate of permits in use changed. */
    private boolean isOutdated(TokenBucketState stored, TokenBucketState converted, long now) {
        boolean sameRate = converted == stored;
        return sameRate ? stored.time() > now && !stored.inUse(now).isNone() : converted != full;
    }

    /** How many permits the call gets, if this level was in use at this time. */
    private long granted(long count, Level level, long time, long now) {
        return switch (requested.kind()) {
            case CHARGE -> count;
            case PREFETCH -> requested.prefetched(count, bucket.available(level), bucket.burst());
            case ACQUIRE, PEEK -> fits(count, level, time, now) ? count : 0;
            case ACQUIRE_UP_TO -> fits(count, level, time, now) ? count : requested.granted(count, bucket.available(level));
        };
    }

    /** Whether so many permits are available, now or within the longest wait. */
    private boolean fits(long count, Level level, long time, long now) {
        Level sum = with(count, level);
        long burst = bucket.burst();
        return rate.interval()
                ? sum.whole() <= burst || time + rate.refills(sum.whole() - burst) * rate.period() - now <= longestWait
                : !sum.exceeds(highestAllowed);
    }

    private Level with(long count, Level level) {
        return rate.sum(level, count == cost ? increment : rate.level(count));
    }

    /** The state once these permits are granted. */
    private TokenBucketState after(long granted, TokenBucketState before, Level level, long time, long now) {
        Level sum = with(granted, level);
        boolean begins = level.isNone();
        return new TokenBucketState(rate, time, Math.min(sum.whole(), highestStored), sum.rest(),
                begins ? now : before.since(now), begins ? NOT_REFUNDED : before.refunded(), null);
    }
}
