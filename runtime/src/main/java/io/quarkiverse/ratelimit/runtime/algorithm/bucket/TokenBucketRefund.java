package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucketPoints.OtherCalls;

/**
 * Refunds permits to a token bucket. {@code token_bucket/refund.lua} explains the rules and implements the same.
 *
 * @param rate the rate at which they were acquired
 * @param count how many to refund
 * @param acquiredAt when they were acquired
 * @param fullAt when the bucket was to be full again
 */
record TokenBucketRefund(Rate rate, long count, long acquiredAt, long fullAt) {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_REFUND, "REFUND");

    byte[] arguments() {
        return ARGUMENTS.pack(rate.interval() ? 1 : 0, count, rate.permits(), rate.period(), acquiredAt, fullAt);
    }

    OperationResult decide(Object stored, long now) {
        TokenBucketState state = stored instanceof TokenBucketState known ? known.asOf(now) : null;
        if (state == null || count == 0 || state.isFull() || acquiredAt < state.since() || acquiredAt > now
                || !state.rate().equals(rate)) {
            return OperationResult.unchanged();
        }
        TokenBucketPoints points = state.points();
        if (points != null && acquiredAt >= points.begin()) {
            OtherCalls others = points.without(count, acquiredAt, state, now);
            return result(loweredTracked(state, others), others.points().relevant(state, now));
        }
        if (rate.interval() && state.time() > acquiredAt) {
            return OperationResult.unchanged();
        }
        boolean restarts = rate.interval() && state.time() == acquiredAt;
        return result(loweredUntracked(state, restarts, now),
                points == null ? null : restarts ? TokenBucketPoints.after(now) : points.relevant(state, now));
    }

    private OperationResult result(TokenBucketState lowered, TokenBucketPoints points) {
        TokenBucketState after = lowered.tracking(points);
        return OperationResult.allowed(() -> after.isFull() ? null : after, after.fullAt());
    }

    /** The state without the call, which keeps at least what is in use because of later calls. */
    private TokenBucketState loweredTracked(TokenBucketState state, OtherCalls others) {
        Level withoutCall = withoutCall(state), needed = others.needed(), level = withoutCall.orMore(needed);
        // the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
        long since = needed.exceeds(withoutCall) ? Math.max(state.since(), others.points().begin()) : state.since();
        boolean isNextKnown = others.next() != TokenBucketPoints.NEVER;
        if (!rate.interval() || withoutCall.whole() > needed.whole()) {
            return lowered(state, level, state.time(), since);
        } else if (state.time() > acquiredAt || needed.whole() > 0 && !isNextKnown) {
            return lowered(state, state.level(), state.time(), since);
        }
        return lowered(state, level, isNextKnown ? others.next() : state.time(), since);
    }

    /** The state without the call. If the call started the periods, they start again now. */
    private TokenBucketState loweredUntracked(TokenBucketState state, boolean restarts, long now) {
        Level needed = Level.NONE;
        if (!rate.interval()) {
            // what would be in use without other calls: since then, or at all
            long full = acquiredAt < state.refunded() ? fullAt : acquiredAt + acquired().whole();
            long used = Math.max(0, full - now);
            needed = used > state.level().whole() ? Level.NONE : new Level(state.level().whole() - used, state.level().rest());
        }
        return lowered(state, withoutCall(state).orMore(needed), restarts ? now : state.time(), state.since());
    }

    /** The state after the refund, with this level unless that is higher. */
    private TokenBucketState lowered(TokenBucketState state, Level level, long time, long since) {
        return new TokenBucketState(rate, time, state.level().exceeds(level) ? level : state.level(), since,
                Math.min(state.refunded(), acquiredAt), null);
    }

    private Level withoutCall(TokenBucketState state) {
        return rate.difference(state.level(), acquired());
    }

    /** The level of the permits. Levels above the highest one are all the same. */
    private Level acquired() {
        return !rate.interval() && (double) count * rate.period() / rate.permits() > Rate.MAX_FILL_TIME
                ? new Level(2 * Rate.MAX_FILL_TIME, 0)
                : rate.level(count);
    }
}
