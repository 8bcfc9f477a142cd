package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

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
            return result(rate.interval() ? trackedAtIntervals(state, others, now) : tracked(state, others, now),
                    others.relevant(state, now));
        }
        if (!rate.interval()) {
            return result(state.lowered(untracked(state, now), state.time(), state.since()),
                    points.areTracked() ? points.relevant(state, now) : null);
        }
        return untrackedAtIntervals(state, points, now);
    }

    /** The level without the call, but at least what later calls need. */
    private TokenBucketState tracked(TokenBucketState state, TokenBucketPoints others, long now) {
        Level withoutCall = withoutCall(state), least = others.leastInUse(acquiredAt, state, now);
        // the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
        long since = least.exceeds(withoutCall) ? Math.max(state.since(), others.begin()) : state.since();
        return state.lowered(withoutCall.orMore(least), state.time(), since);
    }

    /** If the level falls to what later calls need, the periods start at the next call. */
    private TokenBucketState trackedAtIntervals(TokenBucketState state, TokenBucketPoints others, long now) {
        TokenBucketState lowered = tracked(state, others, now);
        long least = others.leastInUse(acquiredAt, state, now).whole(), next = others.nextCall(acquiredAt);
        if (withoutCall(state).whole() > least) {
            return lowered;
        }
        if (state.time() > acquiredAt || least > 0 && next == TokenBucketPoints.NEVER) {
            return state.lowered(state.inUse(), state.time(), lowered.since());
        }
        return state.lowered(new Level(least, 0), next == TokenBucketPoints.NEVER ? state.time() : next, lowered.since());
    }

    /** The level without the call, but at least what would be in use without other calls: since then, or at all. */
    private Level untracked(TokenBucketState state, long now) {
        long end = acquiredAt < state.refunded() ? fullAt : acquiredAt + acquired().whole();
        long inUse = Math.max(0, end - now);
        Level least = inUse > state.level() ? Level.NONE : new Level(state.level() - inUse, state.rest());
        return withoutCall(state).orMore(least);
    }

    /** Nothing is refunded after a refill. If the call started the periods, they start again now. */
    private OperationResult untrackedAtIntervals(TokenBucketState state, TokenBucketPoints points, long now) {
        if (state.time() > acquiredAt) {
            return OperationResult.unchanged();
        }
        boolean restarts = state.time() == acquiredAt;
        TokenBucketState lowered = state.lowered(withoutCall(state).orMore(Level.NONE), restarts ? now : state.time(),
                state.since());
        return result(lowered, !points.areTracked() ? null
                : restarts ? TokenBucketPoints.after(now) : points.relevant(state, now));
    }

    private OperationResult result(TokenBucketState lowered, TokenBucketPoints points) {
        TokenBucketState after = lowered.withRefundOf(acquiredAt).with(points);
        return OperationResult.allowed(after.isFull() ? () -> null : after, after.fullAt());
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
