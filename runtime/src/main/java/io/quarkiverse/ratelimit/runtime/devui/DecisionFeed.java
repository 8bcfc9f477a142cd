package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;

/** Serves the page of live decisions, while a browser shows it. */
@Singleton
public class DecisionFeed implements DecisionObserver {

    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(200);
    private static final int MAX_SHOWN = 100;

    private final Clock clock = Clock.systemUTC();
    private final List<MultiEmitter<? super LiveDecision>> viewers = new CopyOnWriteArrayList<>();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (!viewers.isEmpty()) {
            LiveDecision live = LiveDecision.of(clock.millis(), policy, effect.text(), decision);
            viewers.forEach(viewer -> viewer.emit(live));
        }
    }

    /** The decisions from now on, in batches, several times a second. Leaves out those above the maximum of a batch. */
    public Multi<List<LiveDecision>> decisions() {
        return Multi.createFrom().<LiveDecision> emitter(viewer -> {
            viewers.add(viewer);
            viewer.onTermination(() -> viewers.remove(viewer));
        }).group().intoLists().every(UPDATE_INTERVAL).filter(made -> !made.isEmpty())
                .map(made -> made.subList(0, Math.min(made.size(), MAX_SHOWN)));
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
