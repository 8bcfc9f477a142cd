package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.Rate.Level;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucketState.Refund;

/**
 * Counts by a token bucket. The scripts of {@code token_bucket} explain the algorithm and compute the same.
 *
 * @param maxWait microseconds
 * @param capacity level when all permits are in use
 */
public record TokenBucket(Limit limit, Rate rate, long burst, long maxWait, Level capacity) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.TOKEN_BUCKET_ACQUIRE, "ARGUMENTS");

    public TokenBucket(Limit limit) {
        this(limit, new Rate(limit.refill() == Refill.INTERVAL, limit.permits(), micros(limit.period())));
    }

    private TokenBucket(Limit limit, Rate rate) {
        this(limit, rate, limit.burst(), micros(limit.maxWait()), rate.level(limit.burst()));
    }

    @Override
    public KeyLayout layout() {
        return rate.interval() ? KeyLayout.INTERVAL_BUCKET : KeyLayout.TOKEN_BUCKET;
    }

    @Override
    public long fillTime(long now) {
        return rate.interval() ? rate.refills(burst) * rate.period() : capacity.whole() + (capacity.rest() > 0 ? 1 : 0);
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        ScriptFile function = requested.refundable() ? ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED
                : ScriptFile.TOKEN_BUCKET_ACQUIRE;
        boolean mayGetPart = requested.kind() == OperationKind.ACQUIRE_UP_TO || requested.kind() == OperationKind.PREFETCH;
        long cost = capped(requested.cost(), requested);
        return new AcquireOperation(this, requested, function, arguments(requested, cost, rate.level(cost)),
                mayGetPart ? ScriptFile.TOKEN_BUCKET_LEVEL.bit() : 0);
    }

    private byte[] arguments(PermitRequest requested, long cost, Level increment) {
        return ARGUMENTS.pack(requested.kind().ordinal(), rate.interval() ? 1 : 0, cost, requested.least(), rate.permits(),
                rate.period(), increment.whole(), increment.rest(), capacity.whole(), capacity.rest(), longestWait(requested));
    }

    @Override
    public PlainOperation chargeRefill(long micros) {
        double refill = (double) micros * rate.permits() / rate.period();
        Level increment = new Level((long) Math.min(rate.interval() ? refill : micros, rate.highest()), 0);
        // tracked, so that calls which acquired permits before are refunded exactly; the increment raises the level, not the cost
        long cost = (long) Math.max(1, Math.min(refill, Limit.MAX_PERMITS));
        PermitRequest charge = new PermitRequest(cost, OperationKind.CHARGE, 0).asRefundable();
        return new PlainOperation(ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED, () -> arguments(charge, cost, increment),
                (stored, now) -> {
                    TokenBucketState after = known(stored, now).asOf(now).convertedTo(rate, now).plus(cost, increment, charge,
                            now);
                    return OperationResult.allowed(() -> after, after.fullAt());
                });
    }

    private TokenBucketState known(Object stored, long now) {
        return stored instanceof TokenBucketState state ? state : TokenBucketState.full(rate, now);
    }

    /**
     * Limits the cost: all costs above the burst are denied alike, and a {@code CHARGE} raises the level at most to
     * {@link Rate#highest}.
     */
    private long capped(long cost, PermitRequest requested) {
        if (requested.kind() != OperationKind.CHARGE) {
            return Math.min(cost, burst + 1);
        }
        double highest = rate.interval() ? rate.highest() : (double) rate.highest() / rate.period() * rate.permits() + 1;
        return Math.min(cost, (long) Math.min(MAX_PERMITS_KEPT, highest));
    }

    @Override
    public PlainOperation refund(LimitState decided, long at, long cost, long id) {
        long resetAfter = micros(decided.resetAfter());
        long longest = rate.interval() ? (rate.refills(rate.highest()) - 1) * rate.period() : Rate.MAX_FILL_TIME - 1;
        boolean roundedUp = !rate.interval() && rate.period() % rate.permits() != 0;
        // if the level may have reached the highest one, it is unknown how much the call has added;
        // if resetAfter may be rounded up, a time that is 1 us too early refunds too little, but never too much
        Refund refund = new Refund(rate, resetAfter > longest ? 0 : cost, at, at + resetAfter - (roundedUp ? 1 : 0));
        return new PlainOperation(ScriptFile.TOKEN_BUCKET_REFUND, refund::arguments, refund::decide);
    }

    @Override
    public UsageReply reply(long granted, long level, long rest, long nextRefill, long fourth) {
        return new Reply(this, granted, new Level(level, rest), nextRefill);
    }

    @Override
    public OperationResult decide(PermitRequest requested, long cost, Object stored, long now) {
        TokenBucketState known = known(stored, now);
        // `current` has the rate with which it was stored, `before` that of this rule
        TokenBucketState current = known.asOf(now), before = current.convertedTo(rate, now);
        long count = capped(cost, requested);
        Level increment = rate.level(count);
        // a prefetch gets a share of what is available, even if all of it fits; a charge gets all, even if it does not fit
        boolean fits = requested.kind() != OperationKind.PREFETCH && requested.cost() > 0
                && fits(before, increment, requested, now);
        long granted = fits ? count : requested.granted(count, available(before.level()), burst);
        boolean repairs = !current.isFull() && (known.time() > now || before != current);
        TokenBucketState after = granted == 0 ? before.tracking(null)
                : before.plus(granted, granted == count ? increment : rate.level(granted), requested, now);
        return new OperationResult(
                new Reply(this, granted, before.level(), rate.interval() ? before.time() + rate.period() - now : 0),
                granted > 0 || repairs ? () -> after : null, after.fullAt());
    }

    /** Returns whether a call that raises the level by this increment gets its permits, now or within the longest wait. */
    private boolean fits(TokenBucketState state, Level increment, PermitRequest requested, long now) {
        Level sum = rate.sum(state.level(), increment);
        long wait = longestWait(requested);
        return !rate.interval() ? !sum.exceeds(new Level(capacity.whole() + wait, capacity.rest()))
                : sum.whole() <= burst
                        || state.time() + rate.refills(sum.whole() - burst) * rate.period() - now <= wait;
    }

    private long longestWait(PermitRequest requested) {
        boolean waits = requested.kind() == OperationKind.ACQUIRE || requested.kind() == OperationKind.PEEK;
        return waits && requested.cost() <= burst ? maxWait : 0;
    }

    /**
     * Returns how many permits are available at this level. With an even refill, this is the largest number that fits in
     * addition to the level: the free time, in 1/permits us, divided by the period. It is estimated first, so that the
     * remainder fits into a long even if the products do not.
     */
    private long available(Level level) {
        long free = capacity.whole() - level.whole();
        if (rate.interval() || free < 0) {
            return Math.max(0, free);
        }
        long permits = rate.permits(), period = rate.period();
        long estimate = Math.min(burst, (long) (free / (double) period * permits));
        long remainder = free * permits + capacity.rest() - level.rest() - estimate * period;
        return Math.max(0, estimate + Math.floorDiv(remainder, period));
    }

    /** Level before the call, and microseconds until the next refill if permits come back together, else 0. */
    record Reply(TokenBucket rule, long granted, Level level, long nextRefill) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            long burst = rule.burst, least = requested.least();
            Level after = charged ? with(granted) : level;
            Level inUse = new Level(Math.min(after.whole(), rule.rate.highest()), after.rest());
            long remaining = rule.available(inUse);
            return new LimitUsage(name, rule.limit, granted > 0, burst, remaining,
                    charged && requested.kind() == OperationKind.ACQUIRE ? until(0, inUse) : 0,
                    granted > 0 || least > burst ? 0 : until(least, inUse) - rule.longestWait(requested),
                    remaining == burst ? 0 : until(remaining + 1, inUse), until(burst, inUse));
        }

        private Level with(long permits) {
            return rule.rate.sum(level, rule.rate.level(permits));
        }

        /**
         * Returns the time until this number of permits fits in addition to the level. For 0, it is the delay of the last call
         * in it.
         */
        private long until(long count, Level inUse) {
            Rate rate = rule.rate;
            Level sum = rate.sum(inUse, rate.level(count)), capacity = rule.capacity;
            long excess = sum.whole() - capacity.whole();
            if (!rate.interval()) {
                return Math.max(0, sum.rest() > capacity.rest() ? excess + 1 : excess);
            }
            return excess <= 0 ? 0 : nextRefill + (rate.refills(excess) - 1) * rate.period();
        }

        @Override
        public Object stored(long now) {
            long time = rule.rate.interval() ? now + nextRefill - rule.rate.period() : now;
            return new TokenBucketState(rule.rate, time, level, now, TokenBucketState.NOT_REFUNDED, null);
        }

        @Override
        public Reply toOne(long cost, long charged, long now) {
            Level before = with(charged);
            return new Reply(rule, rule.available(before) < cost ? 0 : cost, before, nextRefill);
        }
    }
}
