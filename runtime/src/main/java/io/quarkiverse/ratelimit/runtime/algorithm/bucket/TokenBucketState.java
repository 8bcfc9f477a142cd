package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.Rate.Level;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucketPoints.OtherCalls;

/**
 * The state of a token bucket: how much of it was in use at a given time.
 *
 * @param time time of the level: the last refill if permits come back together, otherwise that of the last write
 * @param since time since which it counts without a break: the bucket was full then, or the limit changed
 * @param refunded time of the earliest refunded call; if permits come back together, the time at which a refund started
 *        the periods again; or {@link #NOT_REFUNDED}
 * @param points tracks the calls; {@code null} if they are not tracked
 */
record TokenBucketState(Rate rate, long time, Level level, long since, long refunded, TokenBucketPoints points)
        implements
            OperationResult.Weighted {

    static final long NOT_REFUNDED = 1L << 53;

    static TokenBucketState full(Rate rate, long now) {
        return new TokenBucketState(rate, now, Level.NONE, now, NOT_REFUNDED, null);
    }

    @Override
    public int weight() {
        return points == null ? 0 : points.weight();
    }

    /** Returns this state as of now. If its time is in the future, it is unknown how much earlier calls still hold. */
    TokenBucketState asOf(long now) {
        long passed = Math.max(0, now - time), refills = rate.interval() ? passed / rate.period() : 0;
        // no more refills than fill the bucket, as the product might not fit into a long
        long whole = level.whole()
                - (rate.interval() ? Math.min(refills, rate.refills(level.whole())) * rate.permits() : passed);
        if (whole < 0 || whole + level.rest() == 0) {
            return full(rate, now);
        }
        long sinceNow = time > now ? Math.max(since, time + 1) : since;
        return new TokenBucketState(rate, rate.interval() && time <= now ? time + refills * rate.period() : now,
                new Level(whole, level.rest()), sinceNow, refunded, pointsSince(sinceNow, now));
    }

    /** Returns the points of a state that counts since this time. */
    private TokenBucketPoints pointsSince(long other, long now) {
        return other == since && points != null && points.endBy(now) ? points : null;
    }

    /** Returns this state, which is as of now. If its rate is another one, the permits in use are carried over to this rate. */
    TokenBucketState convertedTo(Rate other, long now) {
        if (rate == other || rate.equals(other)) {
            return this;
        }
        double carried = Math.min(rate.interval() ? level.whole()
                : ((double) level.whole() * rate.permits() + level.rest()) / rate.period() * other.period() / other.permits(),
                other.highest());
        long whole = (long) carried;
        return new TokenBucketState(other, other.interval() && now - time < other.period() ? time : now,
                new Level(whole, (long) ((carried - whole) * other.permits())), now, NOT_REFUNDED, pointsSince(now, now));
    }

    /**
     * Returns this state, which is as of now, after a call that is granted this many permits, whose level is {@code increment}.
     */
    TokenBucketState plus(long granted, Level increment, PermitRequest requested, long now) {
        Level sum = rate.sum(level, increment);
        long highest = requested.kind() == OperationKind.CHARGE ? rate.highest() : Long.MAX_VALUE;
        TokenBucketState after = new TokenBucketState(rate, time, new Level(Math.min(sum.whole(), highest), sum.rest()), since,
                refunded, null);
        if (!requested.refundable()) {
            return after;
        }
        TokenBucketPoints tracked = points == null ? new TokenBucketPoints(now, List.of()) : points;
        return after.tracking(tracked.plus(after, granted, now));
    }

    TokenBucketState tracking(TokenBucketPoints others) {
        return others == points ? this : new TokenBucketState(rate, time, level, since, refunded, others);
    }

    /** Returns this state after a refund that starts the periods again. Calls from before the last refill are not refunded. */
    private TokenBucketState startedAgain(long now) {
        return new TokenBucketState(rate, now, level, time == refunded ? since : time, now, points);
    }

    /** Returns how much of the permits acquired at a given time is in use now. If none is, the whole part is at most 0. */
    Level inUse(long count, long acquiredAt, long now) {
        if (rate.interval()) {
            long refills = Math.floorDiv(now - time, rate.period()) - Math.floorDiv(acquiredAt - time, rate.period());
            return new Level(count - refills * rate.permits(), 0);
        }
        Level acquired = rate.level(count);
        return new Level(acquired.whole() - (now - acquiredAt), acquired.rest());
    }

    boolean isFull() {
        return level.whole() == 0 && level.rest() == 0;
    }

    long fullAt() {
        return rate.interval() ? time + rate.refills(level.whole()) * rate.period() : time + level.whole() + 1;
    }

    /**
     * Refunds permits to a token bucket. {@code token_bucket/refund.lua} explains the rules and implements the same.
     *
     * @param rate rate at which they were acquired
     * @param count number of permits to refund
     * @param acquiredAt time when they were acquired
     * @param fullAt time when the bucket was to be full again
     */
    record Refund(Rate rate, long count, long acquiredAt, long fullAt) {

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
            if (rate.interval() && state.time() > acquiredAt && state.time() != state.refunded()) {
                return OperationResult.unchanged();
            }
            boolean restarts = rate.interval() && state.time() >= acquiredAt;
            return result(loweredUntracked(restarts ? state.startedAgain(now) : state, now),
                    points == null ? null : restarts ? TokenBucketPoints.after(now) : points.relevant(state, now));
        }

        private OperationResult result(TokenBucketState lowered, TokenBucketPoints points) {
            TokenBucketState after = lowered.tracking(points);
            return OperationResult.allowed(() -> after.isFull() ? null : after, after.fullAt());
        }

        /** Returns the state without the call. It keeps at least what is in use because of later calls. */
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

        private TokenBucketState loweredUntracked(TokenBucketState state, long now) {
            Level needed = Level.NONE;
            if (!rate.interval()) {
                // what would be in use without other calls: since then, or at all
                long full = acquiredAt < state.refunded() ? fullAt : acquiredAt + acquired().whole();
                long used = Math.max(0, full - now);
                needed = used > state.level().whole() ? Level.NONE
                        : new Level(state.level().whole() - used, state.level().rest());
            }
            return lowered(state, withoutCall(state).orMore(needed), state.time(), state.since());
        }

        /** Returns the state after the refund, with this level unless that is higher. */
        private TokenBucketState lowered(TokenBucketState state, Level level, long time, long since) {
            return new TokenBucketState(rate, time, state.level().exceeds(level) ? level : state.level(), since,
                    rate.interval() ? state.refunded() : Math.min(state.refunded(), acquiredAt), null);
        }

        private Level withoutCall(TokenBucketState state) {
            return rate.difference(state.level(), acquired());
        }

        /** Returns the level of the refunded permits. All levels above the highest one count alike. */
        private Level acquired() {
            return !rate.interval() && (double) count * rate.period() / rate.permits() > Rate.MAX_FILL_TIME
                    ? new Level(2 * Rate.MAX_FILL_TIME, 0)
                    : rate.level(count);
        }
    }
}
