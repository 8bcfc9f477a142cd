package io.quarkiverse.ratelimit.runtime.devui;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.Observed;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Collects decisions for one browser between two updates, and drops those above the maximum of {@value #MAX_WAITING}. */
final class Viewer {

    private static final int MAX_WAITING = 100;

    private final BlockingQueue<Observed> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final AtomicLong dropped = new AtomicLong();

    void show(Observed observed) {
        if (!waiting.offer(observed)) {
            dropped.incrementAndGet();
        }
    }

    Update drain() {
        List<Observed> all = new ArrayList<>();
        waiting.drainTo(all);
        return new Update(all.stream().map(LiveDecision::of).toList(), dropped.getAndSet(0));
    }

    /** @param dropped the number of dropped decisions */
    public record Update(List<LiveDecision> decisions, long dropped) {
    }

    /**
     * A decision and its time.
     *
     * @param time milliseconds since the epoch
     * @param key the key in its stored form; {@code null} if the caller is exempt, like all that follow
     * @param retryAfter the seconds until the same call is allowed; 0 without a wait
     */
    public record LiveDecision(long time, String policy, String outcome, String key, Long remaining, Double retryAfter,
            String source) {

        static LiveDecision of(Observed observed) {
            RateLimitDecision decision = observed.decision();
            return decision == null
                    ? new LiveDecision(observed.time(), observed.policy(), observed.outcome(), null, null, null, null)
                    : new LiveDecision(observed.time(), observed.policy(), observed.outcome(), decision.key(),
                            decision.remaining(), decision.retryAfter().toNanos() / 1e9,
                            Policy.written(decision.source()));
        }
    }
}
