package io.quarkiverse.ratelimit.runtime.dev;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;

/** Serves the page of live decisions, while a browser shows it. */
@Singleton
public class DecisionFeed implements DecisionObserver {

    private static final Duration UPDATE_INTERVAL = Duration.ofMillis(200);
    private static final int MAX_SHOWN = 100;

    private final List<MultiEmitter<? super LiveDecision>> viewers = new CopyOnWriteArrayList<>();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (!viewers.isEmpty()) {
            LiveDecision live = LiveDecision.of(System.currentTimeMillis(), policy, effect.text(), decision);
            viewers.forEach(viewer -> viewer.emit(live));
        }
    }

    /** Returns the decisions from now on, in batches, several times a second. Drops those that a batch cannot hold. */
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
     * @param reason of a denial, in kebab case; {@code null} for an allowed call
     * @param key stored form of the key; {@code null} for an exempt caller, like all components that follow
     * @param retryAfter seconds until the same call is allowed; 0 without a wait
     * @param chain names of all policies that were asked, in this order: one, if no overflow was asked
     */
    public record LiveDecision(long time, String policy, String outcome, String reason, String key, Long remaining,
            Double retryAfter, String source, List<String> chain) {

        private static LiveDecision of(long time, String policy, String outcome, RateLimitDecision decision) {
            return decision == null ? new LiveDecision(time, policy, outcome, null, null, null, null, null, null)
                    : new LiveDecision(time, policy, outcome, decision.denialReason().map(Policy::written).orElse(null),
                            decision.key(), decision.remaining(),
                            decision.retryAfter().toNanos() / 1e9, Policy.written(decision.source()),
                            decision.limits().stream().map(LimitState::policy).distinct().toList());
        }
    }
}
