package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;
import java.util.Set;

import io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketPoints.Least;

/** Refunds permits to a token bucket. */
final class TokenBucketRefund implements Operation {

    private static final Set<ScriptFile> FILES = ScriptFile.set(ScriptFile.RESET, ScriptFile.TOKEN_BUCKET_STATE,
            ScriptFile.TOKEN_BUCKET_LEVEL, ScriptFile.TOKEN_BUCKET_POINTS, ScriptFile.TOKEN_BUCKET_WITHOUT_CALL,
            ScriptFile.TOKEN_BUCKET_REFUND);
    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_REFUND, "REFUND");

    private final TokenBucket bucket;
    private final long count, acquiredAt, fullAt;

    /**
     * Refunds permits of a decision.
     *
     * @param resetAfter when the bucket was to be full again after the decision
     * @param at when it was decided
     */
    static TokenBucketRefund of(TokenBucket bucket, Duration resetAfter, long at, long cost) {
        long full = resetAfter.toNanos() / 1000;
        boolean roundedUp = !bucket.interval() && bucket.period() % bucket.permits() != 0;
        return new TokenBucketRefund(bucket, mayBeCutOff(bucket, full) ? 0 : cost, at, at + full - (roundedUp ? 1 : 0));
    }

    /** Whether the level may have reached its maximum. In that case it is unknown how much the call has added. */
    private static boolean mayBeCutOff(TokenBucket bucket, long resetAfter) {
        return resetAfter > (bucket.interval() ? (bucket.refills(bucket.most()) - 1) * bucket.period()
                : TokenBucket.MAX_FILL_TIME - 1);
    }

    /**
     * @param bucket the bucket from which they were acquired
     * @param count how many to refund
     * @param acquiredAt when they were acquired
     * @param fullAt when the bucket was to be full again
     */
    private TokenBucketRefund(TokenBucket bucket, long count, long acquiredAt, long fullAt) {
        this.bucket = bucket;
        this.count = count;
        this.acquiredAt = acquiredAt;
        this.fullAt = fullAt;
    }

    @Override
    public ScriptFile function() {
        return ScriptFile.TOKEN_BUCKET_REFUND;
    }

    @Override
    public Set<ScriptFile> files() {
        return FILES;
    }

    @Override
    public byte[] arguments(long now) {
        return ARGUMENTS.pack(bucket.interval() ? 1 : 0, count, bucket.permits(), bucket.period(), acquiredAt, fullAt);
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        TokenBucketState was = stored instanceof TokenBucketState last ? last.current(now) : null;
        if (was == null || count == 0 || was.isNothing() || acquiredAt < was.since() || acquiredAt > now
                || !was.bucket().countsLike(bucket)) {
            return OperationResult.allowed(null, 0);
        }
        TokenBucketPoints points = TokenBucketPoints.of(stored, was.since(), now);
        boolean exactly = points.areTracked() && acquiredAt >= points.begin();
        if (!exactly && bucket.interval() && was.at() > acquiredAt) {
            return OperationResult.allowed(null, 0);
        }
        return exactly ? exactly(was, points.without(count, acquiredAt), now) : atLeast(was, points, now);
    }

    private OperationResult exactly(TokenBucketState was, TokenBucketPoints others, long now) {
        Least least = others.leastInUse(acquiredAt, was, now), without = withoutTheCall(was), left = without.orMore(least);
        // the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
        long since = left == without ? was.since() : Math.max(was.since(), others.begin());
        long at = was.at();
        if (bucket.interval() && left.level() == least.level()) {
            long next = others.next(acquiredAt);
            if (at > acquiredAt || left.level() > 0 && next == TokenBucketPoints.NEVER) {
                left = new Least(was.level(), 0);
            } else {
                at = next == TokenBucketPoints.NEVER ? at : next;
            }
        }
        return result(was, at, left, since, others.relevant(was, now));
    }

    private OperationResult atLeast(TokenBucketState was, TokenBucketPoints points, long now) {
        boolean restarts = bucket.interval() && was.at() == acquiredAt;
        TokenBucketPoints others = restarts ? TokenBucketPoints.after(now) : points.relevant(was, now);
        return result(was, restarts ? now : was.at(), withoutTheCall(was).orMore(leastInUseUntracked(was, now)),
                was.since(), points.areTracked() ? others : null);
    }

    private OperationResult result(TokenBucketState was, long at, Least left, long since, TokenBucketPoints points) {
        Least kept = new Least(was.level(), was.rest()).orMore(left) == left ? new Least(was.level(), was.rest()) : left;
        TokenBucketState is = new TokenBucketState(was.bucket(), at, kept.level(), kept.rest(), since,
                Math.min(was.refunded(), acquiredAt), points);
        return OperationResult.allowed(is.isNothing() ? () -> null : is, is.fullAt());
    }

    /** The refund is at most what would be in use without other calls, since then or at all, as the script explains. */
    private Least leastInUseUntracked(TokenBucketState was, long now) {
        long inUse = Math.max(0, (acquiredAt < was.refunded() ? fullAt : acquiredAt + acquired().level()) - now);
        return bucket.interval() || inUse > was.level() ? Least.NOTHING : new Least(was.level() - inUse, was.rest());
    }

    private Least withoutTheCall(TokenBucketState was) {
        Least acquired = acquired();
        long level = was.level() - acquired.level(), rest = was.rest() - acquired.rest();
        return rest < 0 ? new Least(level - 1, rest + bucket.permits()) : new Least(level, rest);
    }

    /** The refunded permits in the unit of the level. Values above the maximum level are all the same. */
    private Least acquired() {
        return !bucket.interval() && (double) count * bucket.period() / bucket.permits() > TokenBucket.MAX_FILL_TIME
                ? new Least(2 * TokenBucket.MAX_FILL_TIME, 0)
                : new Least(bucket.level(count), bucket.levelRest(count));
    }
}
