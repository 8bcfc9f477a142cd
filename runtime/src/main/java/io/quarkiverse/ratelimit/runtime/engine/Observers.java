package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Collection;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;

/** Tells all observers, and the log, what was decided. */
final class Observers {

    static final Observers NONE = new Observers(List.of());

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<DecisionObserver> all;

    Observers(List<DecisionObserver> all) {
        this.all = List.copyOf(all);
    }

    void expect(Collection<Policy> policies) {
        all.forEach(observer -> observer.expect(policies));
    }

    /** Those who are told of the call that begins now; {@code null} when nobody listens. */
    OfCall ofThisCall() {
        if (all.isEmpty() && !LOG.isDebugEnabled()) {
            return null;
        }
        DecisionObserver[] told = new DecisionObserver[all.size()];
        for (int i = 0; i < told.length; i++) {
            told[i] = all.get(i).ofThisCall();
        }
        return new OfCall(told);
    }

    /** The same outcome, of which they are told; {@code call} is {@code null} when nobody listens. */
    static Uni<Outcome> told(Uni<Outcome> outcome, OfCall call, List<Policy> exempt) {
        return call == null ? outcome : Undecorated.map(outcome, decided -> {
            call.decided(decided, exempt);
            return decided;
        });
    }

    /** The observers of one call. */
    static final class OfCall {

        private final DecisionObserver[] observers;

        private OfCall(DecisionObserver[] observers) {
            this.observers = observers;
        }

        void decided(Outcome outcome, List<Policy> exempt) {
            boolean refused = false;
            for (Decided decided : outcome.decisions()) {
                if (!decided.decision().allowed()) {
                    refused = true;
                    LOG.debugf("Policy %s refuses %s", decided.decision().policy(), decided.decision().key());
                    tell(decided.decision().policy(), Effect.REFUSED, decided.decision());
                }
            }
            if (!refused) {
                admitted(outcome, exempt);
            }
        }

        private void admitted(Outcome outcome, List<Policy> exempt) {
            for (Decided decided : outcome.decisions()) {
                tell(decided.decision().policy(), Effect.ALLOWED, decided.decision());
            }
            for (Decided shadow : outcome.shadows()) {
                if (!shadow.decision().allowed()) {
                    LOG.debugf("Policy %s would refuse %s", shadow.decision().policy(), shadow.decision().key());
                }
                tell(shadow.decision().policy(), shadow.decision().allowed() ? Effect.ALLOWED : Effect.SHADOWED,
                        shadow.decision());
            }
            for (Policy policy : exempt) {
                tell(policy.name(), Effect.EXEMPT, null);
            }
        }

        /** An observer that fails keeps nobody from being answered. */
        private void tell(String policy, Effect effect, RateLimitDecision decision) {
            for (DecisionObserver observer : observers) {
                try {
                    observer.decided(policy, effect, decision);
                } catch (RuntimeException e) {
                    LOG.debugf(e, "A decision of policy %s could not be observed", policy);
                }
            }
        }
    }
}
