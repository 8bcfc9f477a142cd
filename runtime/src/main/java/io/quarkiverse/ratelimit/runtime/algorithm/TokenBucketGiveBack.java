package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.TokenBucketPoints.Least;

/** Gives permits of a token bucket back. */
final class TokenBucketGiveBack implements GiveBackAct {

    private final TokenBucket bucket;
    private final long count, takenAt, fullAt;

    /**
     * @param bucket from which they were taken
     * @param count how many to give back
     * @param takenAt when they were taken
     * @param fullAt when the bucket was to be full again
     */
    TokenBucketGiveBack(TokenBucket bucket, long count, long takenAt, long fullAt) {
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
    public Verdict decide(Object stored, long now, long less) {
        TokenBucketState was = stored instanceof TokenBucketState last ? last.current(now) : null;
        if (was == null || count == 0 || was.isNothing() || takenAt < was.since() || takenAt > now
                || !was.bucket().countsLike(bucket)) {
            return Verdict.of(1, null, 0);
        }
        TokenBucketPoints points = TokenBucketPoints.of(stored, was.since(), now);
        boolean exactly = points.isThere() && takenAt >= points.begin();
        if (!exactly && bucket.interval() && was.at() > takenAt) {
            return Verdict.of(1, null, 0);
        }
        return exactly ? exactly(was, points.without(count, takenAt), now) : atLeast(was, points, now);
    }

    private Verdict exactly(TokenBucketState was, TokenBucketPoints others, long now) {
        Least least = others.leastBehind(takenAt, was, now), without = withoutTheCall(was), left = without.orMore(least);
        // the level may have been too high until now, and with it what calls before `begin` were told
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

    private Verdict atLeast(TokenBucketState was, TokenBucketPoints points, long now) {
        boolean anew = bucket.interval() && was.at() == takenAt;
        TokenBucketPoints others = anew ? TokenBucketPoints.after(now) : points.thoseThatMatter(was, now);
        return verdict(was, anew ? now : was.at(), withoutTheCall(was).orMore(leastHadNobodyElseCalled(was, now)),
                was.since(), points.isThere() ? others : null);
    }

    private Verdict verdict(TokenBucketState was, long at, Least left, long since, TokenBucketPoints points) {
        Least kept = new Least(was.level(), was.rest()).orMore(left) == left ? new Least(was.level(), was.rest()) : left;
        TokenBucketState is = new TokenBucketState(was.bucket(), at, kept.level(), kept.rest(), since,
                Math.min(was.refunded(), takenAt), points);
        return Verdict.of(1, is.isNothing() ? () -> null : is, is.fullAt());
    }

    /** No more comes back than would still be in use then: had nobody else called since, or nobody else at all. */
    private Least leastHadNobodyElseCalled(TokenBucketState was, long now) {
        long inUse = Math.max(0, (takenAt < was.refunded() ? fullAt : takenAt + taken().level()) - now);
        return bucket.interval() || inUse > was.level() ? Least.NOTHING : new Least(was.level() - inUse, was.rest());
    }

    private Least withoutTheCall(TokenBucketState was) {
        Least taken = taken();
        long level = was.level() - taken.level(), rest = was.rest() - taken.rest();
        return rest < 0 ? new Least(level - 1, rest + bucket.permits()) : new Least(level, rest);
    }

    /** In the unit of the level; where that is more than any level, how much more does not matter. */
    private Least taken() {
        return !bucket.interval() && (double) count * bucket.period() / bucket.permits() > TokenBucket.MAX_FILL_TIME
                ? new Least(2 * TokenBucket.MAX_FILL_TIME, 0)
                : new Least(bucket.level(count), bucket.levelRest(count));
    }
}
