package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

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
record TokenBucket(boolean interval, long permits, long period, long burst) implements LimitRule {

    private static final long MAX_FILL_TIME = Limit.MAX_FILL_TIME.toSeconds() * 1_000_000;
    private static final int INTERVAL = 0, PERMITS = 1, PERIOD = 2, AT = 3, LEVEL = 4, REST = 5;

    TokenBucket(Limit limit) {
        this(limit.refill() == Refill.INTERVAL, limit.permits(), limit.period().toNanos() / 1000, limit.burst());
    }

    @Override
    public long fillTime() {
        return interval ? refills(burst) * period : whole(burst) + (rest(burst) > 0 ? 1 : 0);
    }

    @Override
    public byte[] arguments(long cost) {
        long asked = Math.min(cost, burst + 1);
        return ByteBuffer.allocate(37).order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) (interval ? 1 : 0)).putInt((int) permits).putDouble(period)
                .putDouble(level(asked)).putInt((int) levelRest(asked))
                .putDouble(level(burst)).putInt((int) levelRest(burst))
                .array();
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long cost, boolean charged) {
        boolean admitted = reply[at] == 1;
        long level = reply[at + 1];
        long rest = reply[at + 2];
        if (charged) {
            level += level(cost);
            rest += levelRest(cost);
        }
        return interval ? stateAtOnce(name, admitted, level, reply[at + 3], cost)
                : stateEvenly(name, admitted, level + rest / permits, rest % permits, cost);
    }

    private LimitState stateEvenly(String name, boolean admitted, long level, long rest, long cost) {
        long remaining = remaining(level, rest);
        return new LimitState(name, admitted, burst, remaining,
                admitted || cost > burst ? Duration.ZERO : until(cost, level, rest),
                remaining == burst ? Duration.ZERO : until(remaining + 1, level, rest),
                micros(rest > 0 ? level + 1 : level));
    }

    private LimitState stateAtOnce(String name, boolean admitted, long used, long nextRefill, long cost) {
        long remaining = Math.max(0, burst - used);
        return new LimitState(name, admitted, burst, remaining,
                admitted || cost > burst ? Duration.ZERO : afterRefills(refills(used + cost - burst), nextRefill),
                remaining == burst ? Duration.ZERO : afterRefills(refills(used + remaining + 1 - burst), nextRefill),
                used == 0 ? Duration.ZERO : afterRefills(refills(used), nextRefill));
    }

    @Override
    public Verdict decide(long[] stored, long now, long cost) {
        long at = now, level = 0, rest = 0;
        boolean outdated = false;
        if (stored != null) {
            at = stored[AT];
            level = stored[LEVEL];
            rest = stored[REST];
            if (at > now) {
                at = now;
                outdated = true;
            }
            if (stored[INTERVAL] == 1) {
                long periods = (now - at) / stored[PERIOD];
                at += periods * stored[PERIOD];
                level -= periods * stored[PERMITS];
            } else {
                level -= now - at;
                at = now;
            }
            if (level < 0 || level + rest == 0) {
                at = now;
                level = 0;
                rest = 0;
                outdated = false;
            } else if (stored[PERMITS] != permits || stored[PERIOD] != period || (stored[INTERVAL] == 1) != interval) {
                outdated = true;
                double used = stored[INTERVAL] == 1 ? level
                        : ((double) level * stored[PERMITS] + rest) / stored[PERIOD];
                if (interval) {
                    level = (long) Math.ceil(Math.min(used, (double) permits * (MAX_FILL_TIME / period)));
                    rest = 0;
                    at = now - at >= period ? now : at;
                } else {
                    double time = Math.min(used * period / permits, MAX_FILL_TIME);
                    at = now;
                    level = (long) time;
                    rest = (long) ((time - level) * permits);
                }
            }
        }
        long asked = Math.min(cost, burst + 1);
        long sum = level + level(asked);
        long sumRest = rest + levelRest(asked);
        if (!interval && sumRest >= permits) {
            sum++;
            sumRest -= permits;
        }
        boolean admitted = sum < level(burst) || (sum == level(burst) && sumRest <= levelRest(burst));
        long kept = admitted ? sum : level;
        long full = interval ? at + refills(kept) * period : at + kept + 1;
        long[] toStore = admitted || outdated
                ? new long[] { interval ? 1 : 0, permits, period, at, kept, admitted ? sumRest : rest }
                : null;
        return new Verdict(admitted, toStore, full, level, rest, interval ? at + period - now : 0);
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

    /** How long until so many permits fit beside the level, rounded up to the microsecond. */
    private Duration until(long count, long level, long rest) {
        long over = level + whole(count) - whole(burst);
        return micros(over + Math.floorDiv(rest + rest(count) - rest(burst) + permits - 1, permits));
    }

    private long refills(long count) {
        return (count + permits - 1) / permits;
    }

    private Duration afterRefills(long refills, long nextRefill) {
        return micros(nextRefill + (refills - 1) * period);
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
