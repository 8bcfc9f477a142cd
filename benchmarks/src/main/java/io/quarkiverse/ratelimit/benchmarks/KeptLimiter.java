package io.quarkiverse.ratelimit.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import com.sun.management.ThreadMXBean;

import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;

/**
 * Calls {@code tryAcquire} on kept limiters and on limiters that {@code forKey} makes for each call, in turn. The denial cache
 * decides on the calling thread, so Redis takes no part and all allocation is that of this thread.
 */
final class KeptLimiter {

    static final String NAME = "kept-limiter";

    private static final int WARM_UPS = 10;
    private static final int CALLS = 200_000;
    private static final String CALLER = "alice@example.com";
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    enum Key {
        GIVEN("key given by code", "given", null),
        DIGESTED("key=header (SHA-256)", "digested", "header:X-Caller");

        final String label;
        final String policy;
        final String property;

        Key(String label, String policy, String property) {
            this.label = label;
            this.policy = policy;
            this.property = property;
        }
    }

    private KeptLimiter() {
    }

    static void measure(RateLimiters limiters, int rounds) {
        System.out.printf("| | kept | forKey for each call | kept to forKey | bytes, kept | bytes, forKey |%n"
                + "| --- | --- | --- | --- | --- | --- |%n");
        for (Key key : Key.values()) {
            RateLimiter limiter = limiters.get(key.policy);
            RateLimiter kept = limiter.forKey(CALLER);
            kept.acquireOrThrow();
            List<Turn> keptTurns = new ArrayList<>();
            List<Turn> madeTurns = new ArrayList<>();
            for (int round = -WARM_UPS; round < rounds; round++) {
                Turn ofKept = turn(() -> kept);
                Turn ofMade = turn(() -> limiter.forKey(CALLER));
                if (round >= 0) {
                    keptTurns.add(ofKept);
                    madeTurns.add(ofMade);
                }
            }
            System.out.printf(Locale.ROOT, "| %s | %.0f ns | %.0f ns | %s | %.0f | %.0f |%n", key.label,
                    Range.of(rounds, i -> keptTurns.get(i).nanos).median(),
                    Range.of(rounds, i -> madeTurns.get(i).nanos).median(),
                    Range.of(rounds, i -> keptTurns.get(i).nanos / madeTurns.get(i).nanos),
                    Range.of(rounds, i -> keptTurns.get(i).bytes).median(),
                    Range.of(rounds, i -> madeTurns.get(i).bytes).median());
        }
    }

    private static Turn turn(Supplier<RateLimiter> limiter) {
        long thread = Thread.currentThread().getId();
        long bytes = THREADS.getThreadAllocatedBytes(thread);
        long begin = System.nanoTime();
        for (int call = 0; call < CALLS; call++) {
            if (limiter.get().tryAcquire().allowed()) {
                throw new IllegalStateException("Every call but the first must be denied");
            }
        }
        return new Turn((System.nanoTime() - begin) / (double) CALLS,
                (THREADS.getThreadAllocatedBytes(thread) - bytes) / (double) CALLS);
    }

    /** Of one call. */
    private record Turn(double nanos, double bytes) {
    }
}
