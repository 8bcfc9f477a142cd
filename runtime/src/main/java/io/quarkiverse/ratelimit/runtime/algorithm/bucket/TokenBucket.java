package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.AcquireOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket.Rate.Level;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucketState.Refund;

/**
 * Counts by a token bucket. The scripts of {@code token_bucket} explain the algorithm and compute the same.
 *
 * @param maxWait microseconds
 * @param capacity the level when all permits are in use
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
    public long fillTime(long now) {
        return rate.interval() ? rate.refills(burst) * rate.period() : capacity.whole() + (capacity.rest() > 0 ? 1 : 0);
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        ScriptFile function = requested.refundable() ? ScriptFile.TOKEN_BUCKET_ACQUIRE_TRACKED
                : ScriptFile.TOKEN_BUCKET_ACQUIRE;
        boolean mayGetPart = requested.kind() == OperationKind.ACQUIRE_UP_TO || requested.kind() == OperationKind.PREFETCH;
        long cost = capped(requested.cost(), requested);
        Level increment = rate.level(cost);
        return new AcquireOperation(this, requested, function,
                ARGUMENTS.pack(requested.kind().ordinal(), rate.interval() ? 1 : 0, cost, requested.least(), rate.permits(),
                        rate.period(), increment.whole(), increment.rest(), capacity.whole(), capacity.rest(),
                        longestWait(requested)),
                mayGetPart ? ScriptFile.TOKEN_BUCKET_LEVEL.bit() : 0);
    }

    /** All costs above the burst are denied alike. A {@code CHARGE} raises the level at most to {@link Rate#highest}. */
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
        TokenBucketState known = stored instanceof TokenBucketState state ? state : TokenBucketState.full(rate, now);
        // `current` has the rate with which it was stored, `before` that of this rule
        TokenBucketState current = known.asOf(now), before = current.convertedTo(rate, now);
        long count = capped(cost, requested);
        Level increment = rate.level(count);
        // a prefetch gets a share of what is available, even if all of it fits; a charge gets all, even if it does not fit
        boolean fits = requested.kind() != OperationKind.PREFETCH && fits(before, increment, requested, now);
        long granted = fits ? count : requested.granted(count, available(before.level()), burst);
        boolean repairs = !current.isFull() && (known.time() > now || before != current);
        TokenBucketState after = granted == 0 ? before.tracking(null)
                : before.plus(granted, granted == count ? increment : rate.level(granted), requested, now);
        return new OperationResult(
                new Reply(this, granted, before.level(), rate.interval() ? before.time() + rate.period() - now : 0),
                granted > 0 || repairs ? () -> after : null, after.fullAt());
    }

    /** Whether a call that raises the level so much gets its permits, now or within the longest wait. */
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
     * How many permits are available at this level. With an even refill, this is the largest number that fits in addition to
     * the level: the free time, in 1/permits us, divided by the period. It is estimated first, so that the remainder fits into
     * a long even if the products do not.
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

    /** What was in use, and how many microseconds are left until the next refill if permits come back together, else 0. */
    record Reply(TokenBucket rule, long granted, Level level, long nextRefill) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            long burst = rule.burst, least = requested.least();
            Level after = charged ? with(granted) : level;
            Level inUse = new Level(Math.min(after.whole(), rule.rate.highest()), after.rest());
            long remaining = rule.available(inUse);
            return new LimitUsage(name, rule.limit, granted > 0, burst, remaining,
                    micros(charged && requested.kind() == OperationKind.ACQUIRE ? until(0, inUse) : 0),
                    micros(granted > 0 || least > burst ? 0 : until(least, inUse) - rule.longestWait(requested)),
                    micros(remaining == burst ? 0 : until(remaining + 1, inUse)), micros(until(burst, inUse)));
        }

        private Level with(long permits) {
            return rule.rate.sum(level, rule.rate.level(permits));
        }

        /** How long until this number of permits fits in addition to the level. For 0: the delay of the last call in it. */
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

    /**
     * How permits come back to a token bucket: evenly, or together at intervals. Levels of equal rates have the same meaning.
     *
     * <p>
     * If they come back evenly, a level is the time in which it comes back: whole microseconds, and a rest in {@code 1/permits}
     * microseconds, so that every rate is exact. At intervals, a level is a number of permits.
     *
     * @param interval whether {@code permits} come back together after each {@code period}
     * @param period microseconds
     */
    record Rate(boolean interval, long permits, long period) {

        static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

        long highest() {
            return !interval ? MAX_FILL_TIME
                    : (long) Math.min((double) MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period));
        }

        Level level(long count) {
            if (interval) {
                return new Level(count, 0);
            }
            // in steps of 15 bits, because `count` reaches 2^37, and Lua is exact only below 2^53
            long whole = period / permits, part = period % permits;
            long high = (count >> 15) * part, rest = (high % permits << 15) + (count & 32767) * part;
            return new Level(count * whole + (high / permits << 15) + rest / permits, rest % permits);
        }

        Level sum(Level one, Level other) {
            long rest = one.rest() + other.rest();
            long carry = rest < permits ? 0 : 1;
            return new Level(one.whole() + other.whole() + carry, rest - carry * permits);
        }

        /** The first level without the second. Its whole part may be negative. */
        Level difference(Level level, Level less) {
            long rest = level.rest() - less.rest();
            long carry = rest < 0 ? 1 : 0;
            return new Level(level.whole() - less.whole() - carry, rest + carry * permits);
        }

        /** How many refills bring back this number of permits. */
        long refills(long count) {
            return (count + permits - 1) / permits;
        }

        /**
         * How much of a token bucket is in use: 0 if all permits are available. A call raises it, and the refill lowers it. The
         * rate defines its unit.
         *
         * @param rest a part of the unit, in {@code 1/permits}
         */
        record Level(long whole, long rest) {

            static final Level NONE = new Level(0, 0);

            boolean exceeds(Level other) {
                return whole > other.whole || whole == other.whole && rest > other.rest;
            }

            Level orMore(Level other) {
                return other.exceeds(this) ? other : this;
            }
        }
    }
}
