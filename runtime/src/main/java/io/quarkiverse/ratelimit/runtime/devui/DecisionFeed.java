package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;

/** Serves the page of live decisions. Sends decisions while a browser shows the page, and otherwise only counts them. */
@Singleton
public class DecisionFeed implements DecisionObserver {

    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(200);

    private final Clock clock = Clock.systemUTC();
    private final List<MultiEmitter<? super LiveDecision>> viewers = new CopyOnWriteArrayList<>();
    private final LongAdder count = new LongAdder();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        count.increment();
        if (!viewers.isEmpty()) {
            LiveDecision live = LiveDecision.of(clock.millis(), policy, effect.text(), decision);
            viewers.forEach(viewer -> viewer.emit(live));
        }
    }

    /** The number of decisions since the start. */
    public Multi<String> decisionCount() {
        return Multi.createFrom().ticks().every(Duration.ofSeconds(1)).onOverflow().drop()
                .map(ignored -> String.valueOf(count.sum())).skip().repetitions();
    }

    /** The decisions from now on, in batches, several times a second. */
    public Multi<Update> decisions() {
        return Multi.createFrom().<LiveDecision> emitter(viewer -> {
            viewers.add(viewer);
            viewer.onTermination(() -> viewers.remove(viewer));
        }).group().intoLists().every(UPDATE_INTERVAL).filter(made -> !made.isEmpty()).map(Update::of);
    }

    /** @param dropped the number of decisions above the maximum, which are not shown */
    public record Update(List<LiveDecision> decisions, long dropped) {

        private static final int MAX_SHOWN = 100;

        static Update of(List<LiveDecision> made) {
            int shown = Math.min(made.size(), MAX_SHOWN);
            return new Update(made.subList(0, shown), made.size() - shown);
        }
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
