package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;
import java.time.ZoneId;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;

/** The values that define a limit, for code that reads, changes or stores them. Ignores unused values. */
public record LimitSpec(Algorithm algorithm, long permits, Duration period, long burst, Refill refill, Duration maxWait,
        CalendarPeriod calendar, ZoneId zone, Duration leaseTime, Counts counts) {

    public static Limit with(Limit limit, long permits, Duration period, long burst) {
        return new LimitSpec(limit.algorithm(), permits, period, burst, limit.refill(), limit.maxWait(), limit.calendar(),
                limit.zone(), limit.leaseTime(), limit.counts()).toLimit();
    }

    /** @throws IllegalArgumentException when a value is missing or out of range */
    public Limit toLimit() {
        return (switch (algorithm) {
            case TOKEN_BUCKET -> tokenBucket();
            case LEAKY_BUCKET -> Limit.leakyBucket(permits, period, maxWait);
            case FIXED_WINDOW -> calendar == null ? Limit.fixedWindow(permits, period)
                    : Limit.fixedWindow(permits, calendar, zone);
            case SLIDING_WINDOW -> Limit.slidingWindow(permits, period);
            case SLIDING_LOG -> Limit.slidingLog(permits, period);
            case CONCURRENCY -> Limit.concurrency(permits).leaseTime(leaseTime);
        }).counts(counts);
    }

    private Limit tokenBucket() {
        Limit bucket = Limit.tokenBucket(burst);
        return (refill == Refill.INTERVAL ? bucket.refillInterval(permits, period) : bucket.refill(permits, period))
                .maxWait(maxWait);
    }
}
