package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;

/**
 * Refunds permits to a token bucket. {@code token_bucket/refund.lua} explains the rules and implements the same.
 *
 * @param rate the rate at which they were acquired
 * @param count how many to refund
 * @param acquiredAt when they were acquired
 * @param fullAt when the bucket was to be full again
 */
record TokenBucketRefund(Rate rate, long count, long acquiredAt, long fullAt) implements Operation {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_REFUND, "REFUND");

    /**
     * Refunds permits of a decision.
     *
     * @param resetAfter how long after the decision the bucket was to be full again
     * @param at when it was decided
     */
    static TokenBucketRefund of(Rate rate, long resetAfter, long at, long cost) {
        boolean roundedUp = !rate.interval() && rate.period() % rate.permits() != 0;
        return new TokenBucketRefund(rate, mayBeCutOff(rate, resetAfter) ? 0 : cost, at,
                at + resetAfter - (roundedUp ? 1 : 0));
    }

    /** Whether the level may have reached the highest one. In that case it is unknown how much the call has added. */
    private static boolean mayBeCutOff(Rate rate, long resetAfter) {
        return resetAfter > (rate.interval() ? (rate.refills(rate.highest()) - 1) * rate.period() : Rate.MAX_FILL_TIME - 1);
    }

    @Override
    public ScriptFile function() {
        return ScriptFile.TOKEN_BUCKET_REFUND;
    }

    @Override
    public byte[] arguments(long now) {
        return ARGUMENTS.pack(rate.interval() ? 1 : 0, count, rate.permits(), rate.period(), acquiredAt, fullAt);
    }

    @Override
    public OperationResult decide(Object stored, long now, long newCost) {
        TokenBucketState state = stored instanceof TokenBucketState known ? known.current(now) : null;
        if (state == null || count == 0 || state.isFull() || acquiredAt < state.since() || acquiredAt > now
                || !state.rate().equals(rate)) {
            return OperationResult.unchanged();
        }
        TokenBucketPoints points = TokenBucketPoints.of(stored, state.since(), now);
        if (points.track(acquiredAt)) {
            TokenBucketPoints others = points.without(count, acquiredAt);
            return result(lowerTracked(state, others, now), others.relevant(state, now));
        }
        if (rate.interval() && state.time() > acquiredAt) {
            return OperationResult.unchanged();
        }
        boolean restarts = rate.interval() && state.time() == acquiredAt;
        TokenBucketPoints others = restarts ? TokenBucketPoints.after(now) : points.relevant(state, now);
        return result(lowerUntracked(state, now), points.areTracked() ? others : null);
    }

    private OperationResult result(TokenBucketState lowered, TokenBucketPoints points) {
        TokenBucketState after = lowered.withRefundOf(acquiredAt).with(points);
        return OperationResult.allowed(after.isFull() ? () -> null : after, after.fullAt());
    }

    /** The state without the call, which keeps at least what is in use because of later calls. */
    private TokenBucketState lowerTracked(TokenBucketState state, TokenBucketPoints others, long now) {
        Level withoutCall = withoutCall(state), needed = others.neededByLaterCalls(acquiredAt, state, now);
        Level level = withoutCall.orMore(needed);
        // the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
        long since = needed.exceeds(withoutCall) ? Math.max(state.since(), others.begin()) : state.since();
        if (!rate.interval() || withoutCall.whole() > needed.whole()) {
            return state.lowered(level, state.time(), since);
        }
        long nextCall = others.nextCall(acquiredAt);
        if (state.time() > acquiredAt || needed.whole() > 0 && nextCall == TokenBucketPoints.NEVER) {
            return state.lowered(state.inUse(), state.time(), since);
        }
        return state.lowered(level, nextCall == TokenBucketPoints.NEVER ? state.time() : nextCall, since);
    }

    /** The state without the call. If the call started the periods, they start again now. */
    private TokenBucketState lowerUntracked(TokenBucketState state, long now) {
        Level needed = Level.NONE;
        long time = rate.interval() && state.time() == acquiredAt ? now : state.time();
        if (!rate.interval()) {
            // what would be in use without other calls: since then, or at all
            long full = acquiredAt < state.refunded() ? fullAt : acquiredAt + acquired().whole();
            long used = Math.max(0, full - now);
            needed = used > state.level() ? Level.NONE : new Level(state.level() - used, state.rest());
        }
        return state.lowered(withoutCall(state).orMore(needed), time, state.since());
    }

    private Level withoutCall(TokenBucketState state) {
        return rate.difference(state.inUse(), acquired());
    }

    /** The level of the permits. Levels above the highest one are all the same. */
    private Level acquired() {
        return !rate.interval() && (double) count * rate.period() / rate.permits() > Rate.MAX_FILL_TIME
                ? new Level(2 * Rate.MAX_FILL_TIME, 0)
                : rate.level(count);
    }
}
