package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.Percentage;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkus.arc.All;

/**
 * Finds allowed calls after which at least {@code warn-at} of a limit is used, at most once per minute for a key. Calls of
 * policies with {@code count-when} are found when they count in the end.
 */
@Singleton
public class ApproachedLimits implements DecisionObserver {

    private static final Duration EVENT_INTERVAL = Duration.ofMinutes(1);

    private final RateLimitConfig config;
    private final List<Listener> listeners;
    private final LimiterClock clock;
    private final Map<String, Watched> byPolicy = new HashMap<>();

    /** Gets the configuration and not the settings, because it is created before them. */
    ApproachedLimits(RateLimitConfig config, @All List<Listener> listeners, LimiterClock clock) {
        this.config = config;
        this.listeners = listeners;
        this.clock = clock;
    }

    /** Is notified of approached limits. Methods may run on any thread and must not block. */
    public interface Listener {

        void approached(Policy policy, RateLimitApproached approached);
    }

    @Override
    public boolean expect(Collection<Policy> policies) {
        for (Policy policy : policies) {
            Percentage share = config.policies().get(policy.name()).warnAt().orElse(null);
            if (share != null && !listeners.isEmpty()) {
                byPolicy.put(policy.name(), new Watched(policy, share, new RecentKeys<>(EVENT_INTERVAL)));
            }
        }
        return !byPolicy.isEmpty();
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        Watched watched = effect == Effect.ALLOWED ? byPolicy.get(policy) : null;
        if (watched != null && !watched.policy.countWhen().areRestricted()) {
            report(watched, decision);
        }
    }

    @Override
    public void counted(RateLimitDecision decision) {
        Watched watched = byPolicy.get(decision.policy());
        if (watched != null) {
            report(watched, decision);
        }
    }

    private void report(Watched watched, RateLimitDecision decision) {
        List<LimitState> approached = decision.limits().stream().filter(limit -> !isOfOther(limit, decision) && watched.share
                .isReachedBy(limit.permits() - limit.remaining(), limit.permits())).toList();
        if (!approached.isEmpty() && watched.recent.isNew(decision.key(), clock.nanoTime())) {
            RateLimitApproached event = new RateLimitApproached(decision, approached);
            listeners.forEach(listener -> listener.approached(watched.policy, event));
        }
    }

    /** Returns whether another policy, which was asked for the same call, has the limit. */
    private static boolean isOfOther(LimitState limit, RateLimitDecision decision) {
        return !limit.policy().isEmpty() && !limit.policy().equals(decision.policy());
    }

    /** Forgets which keys approached a limit during the last minute. */
    public void clear() {
        byPolicy.values().forEach(watched -> watched.recent.clear());
    }

    /** @param recent per policy, so that the callers of one policy cannot suppress the events of another one */
    private record Watched(Policy policy, Percentage share, RecentKeys<String> recent) {
    }
}
