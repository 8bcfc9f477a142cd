package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Collection;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.PlainUni;
import io.smallrye.mutiny.Uni;

/** Passes each decision to all observers and the log. */
final class ObserverChain {

    static final ObserverChain NONE = new ObserverChain(List.of());

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Logger DENIED = Logger.getLogger("io.quarkiverse.ratelimit.denied");

    private final DecisionObserver[] all;
    /** The observers of calls for which no observer has another one. */
    private final OfCall ofMostCalls;

    ObserverChain(List<DecisionObserver> all) {
        this.all = all.toArray(DecisionObserver[]::new);
        this.ofMostCalls = new OfCall(this.all);
    }

    void expect(Collection<Policy> policies) {
        for (DecisionObserver observer : all) {
            observer.expect(policies);
        }
    }

    /** The observers of the call that begins now; {@code null} when there are none. */
    OfCall ofThisCall() {
        if (all.length == 0 && !DENIED.isDebugEnabled()) {
            return null;
        }
        DecisionObserver[] told = all;
        for (int i = 0; i < all.length; i++) {
            DecisionObserver observer = all[i].ofThisCall();
            if (observer != all[i]) {
                told = told == all ? all.clone() : told;
                told[i] = observer;
            }
        }
        return told == all ? ofMostCalls : new OfCall(told);
    }

    /** Returns the same outcome, and notifies the observers of it. {@code call} is {@code null} when there are none. */
    static Uni<Outcome> told(Uni<Outcome> outcome, OfCall call, List<Policy> exempt) {
        return call == null ? outcome : PlainUni.map(outcome, decided -> {
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
            boolean denied = false;
            for (PolicyDecision decided : outcome.decisions()) {
                if (!decided.decision().allowed()) {
                    denied = true;
                    DENIED.debugf("Policy %s denies %s", decided.decision().policy(), decided.decision().key());
                    tell(decided.decision().policy(), Effect.DENIED, decided.decision());
                }
            }
            if (!denied) {
                allowed(outcome, exempt);
            }
        }

        private void allowed(Outcome outcome, List<Policy> exempt) {
            for (PolicyDecision decided : outcome.decisions()) {
                tell(decided.decision().policy(), Effect.ALLOWED, decided.decision());
            }
            for (PolicyDecision shadow : outcome.shadows()) {
                if (!shadow.decision().allowed()) {
                    DENIED.debugf("Policy %s would deny %s", shadow.decision().policy(), shadow.decision().key());
                }
                tell(shadow.decision().policy(), shadow.decision().allowed() ? Effect.ALLOWED : Effect.SHADOW_DENIED,
                        shadow.decision());
            }
            for (Policy policy : exempt) {
                tell(policy.name(), Effect.EXEMPT, null);
            }
        }

        /** Logs the failure of an observer, so that the call still gets its result. */
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
