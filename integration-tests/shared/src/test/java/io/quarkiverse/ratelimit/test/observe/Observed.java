package io.quarkiverse.ratelimit.test.observe;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver.Effect;
import io.quarkus.arc.Unremovable;

/** Records the decisions that observers get, as {@code policy outcome source}. */
@Singleton
@Unremovable
public class Observed implements DecisionObserver {

    private final List<String> decisions = new CopyOnWriteArrayList<>();

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        decisions.add(policy + " " + effect.text() + (decision == null ? "" : " " + decision.source()));
        if (policy.equals("seen-unobservable")) {
            throw new IllegalStateException("An observer may fail");
        }
    }

    /** The decisions of this call alone. */
    public List<String> of(Runnable call) {
        decisions.clear();
        call.run();
        return decisions;
    }
}
