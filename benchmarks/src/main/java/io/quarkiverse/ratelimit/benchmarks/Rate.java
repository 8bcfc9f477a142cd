package io.quarkiverse.ratelimit.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one key is limited to: so many permits at once, and as many per period again. */
record Rate(long permits, Duration period) {

    static final Rate PLENTY = new Rate(1_000_000, Duration.ofSeconds(1));
    static final Rate ONCE = new Rate(1, Duration.ofHours(1));

    /** All rates that a benchmark uses, as those of policies are configured before it begins. */
    static List<Rate> all() {
        List<Rate> all = new ArrayList<>(List.of(ONCE));
        for (long permits = 10; permits < PLENTY.permits; permits += permits / 10) {
            all.add(new Rate(permits, Duration.ofSeconds(1)));
        }
        all.add(PLENTY);
        return all;
    }

    /** The highest rate that is at most a tenth of so many decisions per second. */
    static Rate tenthOf(double perSecond) {
        Rate found = new Rate(10, Duration.ofSeconds(1));
        for (Rate rate : all()) {
            if (rate.period.equals(found.period) && rate.permits <= perSecond / 10) {
                found = rate;
            }
        }
        return found;
    }

    /** The name of the policy that limits so, with the cache of refusals as by default or without it. */
    String policy(boolean denialCache) {
        return permits + "-per-" + period.toSeconds() + (denialCache ? "s" : "s-uncached");
    }
}
