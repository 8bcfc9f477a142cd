package io.quarkiverse.ratelimit.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Limit;

/**
 * What one key is limited to: so many permits at once, and as many per period again.
 *
 * @param interval whether these come back all together when the period has passed, else one by one
 */
record Rate(long permits, Duration period, boolean interval) {

    static final Rate PLENTY = new Rate(100_000_000, Duration.ofSeconds(1), false);
    /** Above what any contender decides in a second. */
    private static final long MOST = 10_000_000;
    static final Rate ONCE = new Rate(1, Duration.ofHours(1), false);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** All rates that a benchmark uses, as those of policies are configured before it begins. */
    static List<Rate> all() {
        List<Rate> all = new ArrayList<>(List.of(ONCE));
        for (long permits = 10; permits < MOST; permits += permits / 10) {
            all.add(new Rate(permits, SECOND, false));
            all.add(new Rate(permits, SECOND, true));
        }
        all.add(PLENTY);
        return all;
    }

    /** The highest rate that is at most a tenth of so many decisions per second. */
    static Rate tenthOf(double perSecond, boolean interval) {
        Rate found = new Rate(10, SECOND, interval);
        for (Rate rate : all()) {
            if (rate.period.equals(SECOND) && rate.interval == interval && rate.permits <= perSecond / 10) {
                found = rate;
            }
        }
        return found;
    }

    Limit limit() {
        Limit burst = Limit.tokenBucket(permits);
        return interval ? burst.refillInterval(permits, period) : burst.refill(permits, period);
    }

    /** How many permits come back in this time. */
    double permitsIn(double seconds) {
        return permits * seconds / period.toSeconds();
    }

    /** The name of the policy with this rate. */
    String policy(OwnLimiter.Form form) {
        return permits + "-per-" + period.toSeconds() + (interval ? "s-interval" : "s") + form.suffix;
    }
}
