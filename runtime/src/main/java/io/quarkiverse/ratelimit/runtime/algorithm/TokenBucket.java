package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.Micros.micros;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.Refill;

/**
 * Counts by a token bucket; {@code token_bucket.lua} explains the algorithm and does the same arithmetic.
 *
 * <p>
 * A number of permits n takes {@code n * period / permits} to come back. Refilled evenly this is kept as whole
 * microseconds and a rest in {@code 1/permits} of one, so that every rate is exact.
 */
record TokenBucket(Limit limit, boolean interval, long permits, long period, long burst, long maxWait) implements LimitRule {

    private static final String SCRIPT = "token_bucket";
    private static final double MAX_PERMITS_KEPT = 1e15;
    private static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;

    TokenBucket(Limit limit) {
        this(limit, limit.refill() == Refill.INTERVAL, limit.permits(), limit.period().toNanos() / 1000, limit.burst(),
                limit.maxWait().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return interval ? refills(burst) * period : whole(burst) + (rest(burst) > 0 ? 1 : 0);
    }

    @Override
    public Act take(Call call) {
        return new Take(call);
    }

    @Override
    public Act giveBack(LimitState taken, long at, long cost, long id) {
        boolean roundedUp = !interval && period % permits != 0;
        long resetAfter = taken.resetAfter().toNanos() / 1000;
        return new GiveBack(mayBeCutOff(resetAfter) ? 0 : cost, at, at + resetAfter - (roundedUp ? 1 : 0));
    }

    /** Whether so much is in use that more might not have been kept: nobody knows how much that call has added. */
    private boolean mayBeCutOff(long resetAfter) {
        return resetAfter > (interval ? (refills(most()) - 1) * period : MAX_FILL_TIME - 1);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean admitted = reply[at] > 0;
        long level = reply[at + 1];
        long rest = reply[at + 2];
        if (charged) {
            level += level(reply[at]);
            rest += levelRest(reply[at]);
        }
        level = Math.min(level, most());
        boolean waits = charged && call.manner() == Manner.TAKE;
        long refusedCost = admitted || call.least() > burst ? 0 : call.least();
        long longestWait = longestWait(call);
        return interval ? stateAtOnce(name, admitted, waits, level, reply[at + 3], refusedCost, longestWait)
                : stateEvenly(name, admitted, waits, level + rest / permits, rest % permits, refusedCost, longestWait);
    }

    private LimitState stateEvenly(String name, boolean admitted, boolean waits, long level, long rest, long refusedCost,
            long longestWait) {
        long remaining = remaining(level, rest);
        return new LimitState(name, limit, admitted, burst, remaining,
                waits ? until(0, level, rest) : Duration.ZERO,
                refusedCost == 0 ? Duration.ZERO : until(refusedCost, level - longestWait, rest),
                remaining == burst ? Duration.ZERO : until(remaining + 1, level, rest),
                micros(rest > 0 ? level + 1 : level));
    }

    private LimitState stateAtOnce(String name, boolean admitted, boolean waits, long used, long nextRefill, long refusedCost,
            long longestWait) {
        long remaining = available(used, 0);
        return new LimitState(name, limit, admitted, burst, remaining,
                waits && used > burst ? afterRefills(refills(used - burst), nextRefill) : Duration.ZERO,
                refusedCost == 0 ? Duration.ZERO
                        : afterRefills(refills(used + refusedCost - burst), nextRefill).minus(micros(longestWait)),
                remaining == burst ? Duration.ZERO : afterRefills(refills(used + remaining + 1 - burst), nextRefill),
                used == 0 ? Duration.ZERO : afterRefills(refills(used), nextRefill));
    }

    /** What a key holds: how much was in use of which bucket as of when. */
    private record Stored(TokenBucket bucket, long at, long level, long rest)
            implements
                Supplier<Object> {

        /** It need not be made when it is to be stored, as verdicts have it. */
        @Override
        public Object get() {
            return this;
        }

        Stored current(long now) {
            return new Stored(bucket, at(now), level(now), rest(now));
        }

        /** As of when the level is known now: refilled at once, since the last refill. */
        long at(long now) {
            return bucket.interval && now > at && now < fullAt() ? now - (now - at) % bucket.period : now;
        }

        /** What is left of the level now. */
        long level(long now) {
            if (now <= at) {
                return level;
            }
            if (bucket.interval) {
                return now < fullAt() ? level - (now - at) / bucket.period * bucket.permits : 0;
            }
            return Math.max(0, level - (now - at));
        }

        /** What is left of the rest now. */
        long rest(long now) {
            return now - at > level ? 0 : rest;
        }

        boolean isNothing() {
            return level + rest == 0;
        }

        long fullAt() {
            return bucket.interval ? at + bucket.refills(level) * bucket.period : at + level + 1;
        }
    }

    private final class Take extends TakeAct {

        private final long cost, costLevel, costRest, fullLevel, fullRest, longestWait;
        private final Stored nothing = new Stored(TokenBucket.this, 0, 0, 0);
        private final byte[] arguments;

        Take(Call call) {
            super(TokenBucket.this, call);
            this.cost = asked(call.cost());
            this.costLevel = level(cost);
            this.costRest = levelRest(cost);
            this.fullLevel = level(burst);
            this.fullRest = levelRest(burst);
            this.longestWait = longestWait(call);
            this.arguments = ByteBuffer.allocate(58).order(ByteOrder.LITTLE_ENDIAN)
                    .put((byte) call.manner().ordinal()).put((byte) (interval ? 1 : 0)).putInt((int) cost)
                    .putInt((int) call.least()).putInt((int) permits).putDouble(period)
                    .putDouble(costLevel).putInt((int) costRest)
                    .putDouble(fullLevel).putInt((int) fullRest).putDouble(longestWait).array();
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public boolean isRare() {
            return call.manner() == Manner.UP_TO;
        }

        /** Calls that may be held back are told for how long, each by itself. */
        @Override
        public Merging merging() {
            return longestWait == 0 ? super.merging() : null;
        }

        @Override
        long available(long[] numbers, int at, long now) {
            return TokenBucket.this.available(numbers[at + 1], numbers[at + 2]);
        }

        @Override
        public void others(long[] numbers, int at) {
            long rest = numbers[at + 2] + levelRest(call.cost());
            numbers[at + 1] += level(call.cost()) + rest / permits;
            numbers[at + 2] = rest % permits;
        }

        @Override
        public byte[] arguments(long now) {
            return arguments;
        }

        @Override
        public Verdict decide(Object stored, long now, long less) {
            Stored is = stored instanceof Stored was ? converted(was, now) : nothing;
            long at = is.at(now), level = is.level(now), rest = is.rest(now);
            boolean outdated = is == stored ? is.at > now && level + rest > 0 : is != nothing;
            Stored sum = less > 0 ? taken(at, level, rest, less) : taken(at, level, rest, costLevel, costRest);
            long granted = less > 0 ? less : cost;
            if (call.manner() == Manner.CHARGE) {
                sum = new Stored(TokenBucket.this, at, Math.min(sum.level, most()), sum.rest);
            } else if (!fits(sum, now)) {
                granted = call.manner() == Manner.UP_TO
                        ? call.granted(granted, TokenBucket.this.available(level, rest))
                        : 0;
                sum = granted > 0 ? taken(at, level, rest, granted) : new Stored(TokenBucket.this, at, level, rest);
            }
            return new Verdict(granted, call.manner() != Manner.PEEK && (granted > 0 || outdated) ? sum : null, sum.fullAt(),
                    level, rest, interval ? at + period - now : 0, 0);
        }

        /** With the numbers of today: the permits in use are carried over. */
        private Stored converted(Stored was, long now) {
            TokenBucket then = was.bucket;
            if (then.permits == permits && then.period == period && then.interval == interval) {
                return was;
            }
            long level = was.level(now), rest = was.rest(now);
            if (level + rest == 0) {
                return nothing;
            }
            double used = then.interval ? level : ((double) level * then.permits + rest) / then.period;
            if (interval) {
                long at = was.at(now);
                return new Stored(TokenBucket.this, now - at >= period ? now : at,
                        (long) Math.ceil(Math.min(used, most())), 0);
            }
            double time = Math.min(used * period / permits, MAX_FILL_TIME);
            return new Stored(TokenBucket.this, now, (long) time, (long) ((time - (long) time) * permits));
        }

        private Stored taken(long at, long level, long rest, long count) {
            return taken(at, level, rest, level(count), levelRest(count));
        }

        private Stored taken(long at, long level, long rest, long moreLevel, long moreRest) {
            long sum = rest + moreRest;
            boolean carry = sum >= permits;
            return new Stored(TokenBucket.this, at, level + moreLevel + (carry ? 1 : 0), carry ? sum - permits : sum);
        }

        private boolean fits(Stored sum, long now) {
            if (interval) {
                return sum.level <= burst || sum.at + refills(sum.level - burst) * period - now <= longestWait;
            }
            long full = fullLevel + longestWait;
            return sum.level < full || (sum.level == full && sum.rest <= fullRest);
        }

        /** Nothing beyond matters: more than the burst is never admitted, and no level is kept that takes longer to fill. */
        private long asked(long cost) {
            if (call.manner() != Manner.CHARGE) {
                return Math.min(cost, burst + 1);
            }
            return Math.min(cost,
                    interval ? most() : (long) Math.min(MAX_PERMITS_KEPT, (double) most() / period * permits) + 1);
        }
    }

    /**
     * Gives permits back.
     *
     * @param count how many
     * @param takenAt when they were taken
     * @param fullAt when the bucket was to be full again
     */
    private final class GiveBack implements GiveBackAct {

        private final long count, takenAt, fullAt;

        GiveBack(long count, long takenAt, long fullAt) {
            this.count = count;
            this.takenAt = takenAt;
            this.fullAt = fullAt;
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(33).order(ByteOrder.LITTLE_ENDIAN)
                    .put((byte) (interval ? 1 : 0)).putInt((int) count).putInt((int) permits).putDouble(period)
                    .putDouble(takenAt).putDouble(fullAt).array();
        }

        @Override
        public Verdict decide(Object stored, long now, long less) {
            Stored was = stored instanceof Stored last ? last.current(now) : null;
            if (was == null || was.isNothing() || was.bucket.interval != interval || (interval && was.at > takenAt)) {
                return Verdict.of(1, null, 0);
            }
            Stored left = interval ? withoutAtOnce(was, now) : withoutEvenly(was, now);
            return Verdict.of(1, left.isNothing() ? () -> null : left, left.fullAt());
        }

        private Stored withoutAtOnce(Stored was, long now) {
            return new Stored(was.bucket, was.at == takenAt ? now : was.at, Math.max(0, was.level - count), 0);
        }

        private Stored withoutEvenly(Stored was, long now) {
            TokenBucket then = was.bucket;
            boolean everything = (double) count * then.period / then.permits > MAX_FILL_TIME;
            long time = everything ? MAX_FILL_TIME : then.whole(count), timeRest = everything ? 0 : then.rest(count);
            long inUse = fullAt - now;
            if (then.permits != permits || then.period != period) {
                double used = Math.min((double) inUse * permits / period,
                        count - (double) (now - takenAt) * then.permits / then.period);
                inUse = (long) Math.floor(used * then.period / then.permits);
            }
            if (inUse <= time) {
                time = Math.max(0, inUse);
                timeRest = 0;
            }
            long level = was.level - time, rest = was.rest - timeRest;
            if (rest < 0) {
                level--;
                rest += then.permits;
            }
            return level < 0 ? new Stored(then, was.at, 0, 0) : new Stored(then, was.at, level, rest);
        }
    }

    private long longestWait(Call call) {
        boolean waits = call.manner() == Manner.TAKE || call.manner() == Manner.PEEK;
        return waits && call.cost() <= burst ? maxWait : 0;
    }

    /** The highest level that is kept. */
    private long most() {
        return interval ? (long) Math.min(MAX_PERMITS_KEPT, (double) permits * (MAX_FILL_TIME / period)) : MAX_FILL_TIME;
    }

    /** So many permits in the unit of the level. */
    private long level(long count) {
        return interval ? count : whole(count);
    }

    private long levelRest(long count) {
        return interval ? 0 : rest(count);
    }

    private long whole(long count) {
        return count * (period / permits) + count * (period % permits) / permits;
    }

    private long rest(long count) {
        return count * (period % permits) % permits;
    }

    /**
     * The largest number of permits that fits beside the level: what is free, in 1/permits us, by the period. It is
     * estimated first, so that what the estimate leaves over fits into a long, even where the products do not.
     */
    private long remaining(long level, long rest) {
        long free = whole(burst) - level;
        long freeRest = rest(burst) - rest;
        if (free < 0) {
            return 0;
        }
        long estimate = Math.min(burst, (long) (free / (double) period * permits));
        long left = free * permits + freeRest - estimate * period;
        return Math.max(0, estimate + Math.floorDiv(left, period));
    }

    /** How many permits are left beside the level, in its unit. */
    private long available(long level, long rest) {
        return interval ? Math.max(0, burst - level) : remaining(level, rest);
    }

    /** How long until so many permits fit beside the level, rounded up to the microsecond. */
    private Duration until(long count, long level, long rest) {
        long over = level + whole(count) - whole(burst);
        return micros(Math.max(0, over + Math.floorDiv(rest + rest(count) - rest(burst) + permits - 1, permits)));
    }

    private long refills(long count) {
        return (count + permits - 1) / permits;
    }

    private Duration afterRefills(long refills, long nextRefill) {
        return micros(nextRefill + (refills - 1) * period);
    }
}
