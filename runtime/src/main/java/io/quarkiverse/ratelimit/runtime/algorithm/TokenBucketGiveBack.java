package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

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
    public byte[] arguments(long now) {
        return ByteBuffer.allocate(33).order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) (bucket.interval() ? 1 : 0)).putInt((int) count).putInt((int) bucket.permits())
                .putDouble(bucket.period()).putDouble(takenAt).putDouble(fullAt).array();
    }

    @Override
    public Verdict decide(Object stored, long now, long less) {
        TokenBucketState was = stored instanceof TokenBucketState last ? last.current(now) : null;
        if (was == null || was.isNothing() || was.bucket().interval() != bucket.interval()
                || (bucket.interval() && was.at() > takenAt)) {
            return Verdict.of(1, null, 0);
        }
        TokenBucketState left = bucket.interval() ? withoutAtOnce(was, now) : withoutEvenly(was, now);
        return Verdict.of(1, left.isNothing() ? () -> null : left, left.fullAt());
    }

    private TokenBucketState withoutAtOnce(TokenBucketState was, long now) {
        return new TokenBucketState(was.bucket(), was.at() == takenAt ? now : was.at(), Math.max(0, was.level() - count), 0);
    }

    private TokenBucketState withoutEvenly(TokenBucketState was, long now) {
        TokenBucket then = was.bucket();
        boolean everything = (double) count * then.period() / then.permits() > TokenBucket.MAX_FILL_TIME;
        long time = everything ? TokenBucket.MAX_FILL_TIME : then.whole(count), timeRest = everything ? 0 : then.rest(count);
        long inUse = fullAt - now;
        if (!then.countsLike(bucket)) {
            double used = Math.min((double) inUse * bucket.permits() / bucket.period(),
                    count - (double) (now - takenAt) * then.permits() / then.period());
            inUse = (long) Math.floor(used * then.period() / then.permits());
        }
        if (inUse <= time) {
            time = Math.max(0, inUse);
            timeRest = 0;
        }
        long level = was.level() - time, rest = was.rest() - timeRest;
        if (rest < 0) {
            level--;
            rest += then.permits();
        }
        return level < 0 ? new TokenBucketState(then, was.at(), 0, 0) : new TokenBucketState(then, was.at(), level, rest);
    }
}
