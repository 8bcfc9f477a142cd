package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;
import java.time.ZoneId;
import java.util.function.Function;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.bucket.TokenBucket;
import io.quarkiverse.ratelimit.runtime.algorithm.concurrency.Concurrency;
import io.quarkiverse.ratelimit.runtime.algorithm.log.SlidingLog;
import io.quarkiverse.ratelimit.runtime.algorithm.window.FixedWindow;
import io.quarkiverse.ratelimit.runtime.algorithm.window.SlidingWindow;

/** The values that define a limit, for code that reads, changes or stores them. Ignores unused values. */
public record LimitSpec(Algorithm algorithm, long permits, Duration period, long burst, Refill refill, Duration maxWait,
        CalendarPeriod calendar, ZoneId zone, Duration leaseTime, Counts counts) {

    public static LimitSpec of(Limit limit) {
        return new LimitSpec(limit.algorithm(), limit.permits(), limit.period(), limit.burst(), limit.refill(), limit.maxWait(),
                limit.calendar(), limit.zone(), limit.leaseTime(), limit.counts());
    }

    /** The same limit with these values. */
    public LimitSpec with(long permits, Duration period, long burst) {
        return new LimitSpec(algorithm, permits, period, burst, refill, maxWait, calendar, zone, leaseTime, counts);
    }

    /** The same bucket as a token bucket that delays calls for up to {@code maxWait}, or for no time. */
    LimitSpec waiting(Duration maxWait) {
        return new LimitSpec(Algorithm.TOKEN_BUCKET, permits, period, burst, refill, maxWait, calendar, zone, leaseTime,
                counts);
    }

    /** @throws IllegalArgumentException when a value is missing or out of range */
    public Limit toLimit() {
        return Kind.of(algorithm).limit.apply(this).counts(counts);
    }

    private Limit tokenBucket() {
        Limit bucket = Limit.tokenBucket(burst);
        return (refill == Refill.INTERVAL ? bucket.refillInterval(permits, period) : bucket.refill(permits, period))
                .maxWait(maxWait);
    }

    private Limit fixedWindow() {
        return calendar == null ? Limit.fixedWindow(permits, period) : Limit.fixedWindow(permits, calendar, zone);
    }

    /** How limits of one algorithm are created from their values, and by which rule they are counted. */
    record Kind(Function<LimitSpec, Limit> limit, Function<Limit, LimitRule> rule) {

        static Kind of(Algorithm algorithm) {
            return switch (algorithm) {
                case TOKEN_BUCKET -> new Kind(LimitSpec::tokenBucket, TokenBucket::new);
                case LEAKY_BUCKET -> new Kind(spec -> Limit.leakyBucket(spec.permits, spec.period, spec.maxWait),
                        TokenBucket::new);
                case FIXED_WINDOW -> new Kind(LimitSpec::fixedWindow, FixedWindow::new);
                case SLIDING_WINDOW -> new Kind(spec -> Limit.slidingWindow(spec.permits, spec.period), SlidingWindow::new);
                case SLIDING_LOG -> new Kind(spec -> Limit.slidingLog(spec.permits, spec.period), SlidingLog::new);
                case CONCURRENCY -> new Kind(spec -> Limit.concurrency(spec.permits).leaseTime(spec.leaseTime),
                        Concurrency::new);
            };
        }
    }
}
