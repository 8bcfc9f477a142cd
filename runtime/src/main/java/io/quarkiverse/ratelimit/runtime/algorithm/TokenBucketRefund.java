package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketPoints.Least;

/** Refunds permits to a token bucket. */
final class TokenBucketRefund implements RefundOperation {

    private final TokenBucket bucket;
    private final long count, takenAt, fullAt;

    /**
     * @param bucket the bucket from which they were acquired
     * @param count how many to refund
     * @param takenAt when they were acquired
     * @param fullAt when the bucket was to be full again
     */
    TokenBucketRefund(TokenBucket bucket, long count, long takenAt, long fullAt) {
        this.bucket = bucket;
        this.count = count;
        this.takenAt = takenAt;
        this.fullAt = fullAt;
    }

    @Override
    public String script() {
        return TokenBucket.SCRIPT;
    }

    @Override
    public List<String> scripts() {
        return List.of(TokenBucket.SCRIPT, "token_bucket_points", "token_bucket_refunds");
    }

    @Override
    public byte[] arguments(long now) {
        return ByteBuffer.allocate(33).order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) (bucket.interval() ? 1 : 0)).putInt((int) count).putInt((int) bucket.permits())
                .putDouble(bucket.period()).putDouble(takenAt).putDouble(fullAt).array();
    }

    @Override
    public OperationResult decide(Object stored, long now, long less) {
        TokenBucketState was = stored instanceof TokenBucketState last ? last.current(now) : null;
        if (was == null || count == 0 || was.isNothing() || takenAt < was.since() || takenAt > now
                || !was.bucket().countsLike(bucket)) {
            return OperationResult.allowed(null, 0);
        }
        TokenBucketPoints points = TokenBucketPoints.of(stored, was.since(), now);
        boolean exactly = points.isThere() && takenAt >= points.begin();
        if (!exactly && bucket.interval() && was.at() > takenAt) {
            return OperationResult.allowed(null, 0);
        }
        return exactly ? exactly(was, points.without(count, takenAt), now) : atLeast(was, points, now);
    }

    private OperationResult exactly(TokenBucketState was, TokenBucketPoints others, long now) {
        Least least = others.leastBehind(takenAt, was, now), without = withoutTheCall(was), left = without.orMore(least);
        // the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
        long since = left == without ? was.since() : Math.max(was.since(), others.begin());
        long at = was.at();
        if (bucket.interval() && left.level() == least.level()) {
            long next = others.next(takenAt);
            if (at > takenAt || left.level() > 0 && next == TokenBucketPoints.NEVER) {
                left = new Least(was.level(), 0);
            } else {
                at = next == TokenBucketPoints.NEVER ? at : next;
            }
        }
        return verdict(was, at, left, since, others.thoseThatMatter(was, now));
    }

    private OperationResult atLeast(TokenBucketState was, TokenBucketPoints points, long now) {
        boolean anew = bucket.interval() && was.at() == takenAt;
        TokenBucketPoints others = anew ? TokenBucketPoints.after(now) : points.thoseThatMatter(was, now);
        return verdict(was, anew ? now : was.at(), withoutTheCall(was).orMore(leastHadNobodyElseCalled(was, now)),
                was.since(), points.isThere() ? others : null);
    }

    private OperationResult verdict(TokenBucketState was, long at, Least left, long since, TokenBucketPoints points) {
        Least kept = new Least(was.level(), was.rest()).orMore(left) == left ? new Least(was.level(), was.rest()) : left;
        TokenBucketState is = new TokenBucketState(was.bucket(), at, kept.level(), kept.rest(), since,
                Math.min(was.refunded(), takenAt), points);
        return OperationResult.allowed(is.isNothing() ? () -> null : is, is.fullAt());
    }

    /** The refund is at most what would be in use without other calls, since then or at all, as the script explains. */
    private Least leastHadNobodyElseCalled(TokenBucketState was, long now) {
        long inUse = Math.max(0, (takenAt < was.refunded() ? fullAt : takenAt + taken().level()) - now);
        return bucket.interval() || inUse > was.level() ? Least.NOTHING : new Least(was.level() - inUse, was.rest());
    }

    private Least withoutTheCall(TokenBucketState was) {
        Least taken = taken();
        long level = was.level() - taken.level(), rest = was.rest() - taken.rest();
        return rest < 0 ? new Least(level - 1, rest + bucket.permits()) : new Least(level, rest);
    }

    /** The refunded permits in the unit of the level. Values above the maximum level are all the same. */
    private Least taken() {
        return !bucket.interval() && (double) count * bucket.period() / bucket.permits() > TokenBucket.MAX_FILL_TIME
                ? new Least(2 * TokenBucket.MAX_FILL_TIME, 0)
                : new Least(bucket.level(count), bucket.levelRest(count));
    }
}
