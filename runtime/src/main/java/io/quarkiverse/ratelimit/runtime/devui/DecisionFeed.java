package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Multi;

/** Serves the page of live decisions. Sends decisions while a browser shows the page, and otherwise only counts them. */
@Singleton
public class DecisionFeed implements DecisionObserver {

    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(200);

    private final Clock clock = Clock.systemUTC();
    private final List<Viewer> viewers = new CopyOnWriteArrayList<>();
    private final LongAdder count = new LongAdder();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        count.increment();
        if (!viewers.isEmpty()) {
            LiveDecision live = LiveDecision.of(clock.millis(), policy, effect.text(), decision);
            viewers.forEach(viewer -> viewer.show(live));
        }
    }

    /** The number of decisions since the start. */
    public Multi<String> decisionCount() {
        return Multi.createFrom().ticks().every(Duration.ofSeconds(1)).onOverflow().drop()
                .map(ignored -> String.valueOf(count.sum())).skip().repetitions();
    }

    /** The decisions from now on, in batches, several times a second. */
    public Multi<Update> decisions() {
        return Multi.createFrom().deferred(() -> {
            Viewer viewer = new Viewer();
            viewers.add(viewer);
            return Multi.createFrom().ticks().every(UPDATE_INTERVAL).onOverflow().drop()
                    .map(ignored -> viewer.drain()).filter(update -> !update.decisions().isEmpty())
                    .onTermination().invoke(() -> viewers.remove(viewer));
        });
    }

    /** Collects decisions for one browser between two updates, and drops those above the maximum. */
    static final class Viewer {

        private static final int MAX_WAITING = 100;

        private final BlockingQueue<LiveDecision> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
        private final AtomicLong dropped = new AtomicLong();

        void show(LiveDecision decision) {
            if (!waiting.offer(decision)) {
                dropped.incrementAndGet();
            }
        }

        Update drain() {
            List<LiveDecision> decisions = new ArrayList<>();
            waiting.drainTo(decisions);
            return new Update(decisions, dropped.getAndSet(0));
        }
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

        private static LiveDecision of(long time, String policy, String outcome, RateLimitDecision decision) {
            return decision == null ? new LiveDecision(time, policy, outcome, null, null, null, null)
                    : new LiveDecision(time, policy, outcome, decision.key(), decision.remaining(),
                            decision.retryAfter().toNanos() / 1e9, Policy.written(decision.source()));
        }
    }
}
