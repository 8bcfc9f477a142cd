package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Collection;
import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Passes each decision to all observers and the log. */
public final class ObserverChain {

    static final ObserverChain NONE = new ObserverChain(List.of());

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Logger DENIED = Logger.getLogger("io.quarkiverse.ratelimit.denied");

    private final DecisionObserver[] all;
    /** The observers of calls for which no observer has another one. */
    private final CallObservers ofMostCalls;

    public ObserverChain(List<DecisionObserver> all) {
        this.all = all.toArray(DecisionObserver[]::new);
        this.ofMostCalls = new CallObservers(this.all);
    }

    public void expect(Collection<Policy> policies) {
        for (DecisionObserver observer : all) {
            observer.expect(policies);
        }
    }

    /** The observers of the call that begins now; {@code null} when there are none. */
    CallObservers ofThisCall() {
        if (all.length == 0 && !DENIED.isDebugEnabled()) {
            return null;
        }
        DecisionObserver[] own = all;
        for (int i = 0; i < all.length; i++) {
            DecisionObserver observer = all[i].ofThisCall();
            if (observer != all[i]) {
                own = own == all ? all.clone() : own;
                own[i] = observer;
            }
        }
        return own == all ? ofMostCalls : new CallObservers(own);
    }

    /** Returns the same outcome, and notifies the observers of it. {@code call} is {@code null} when there are none. */
    static Uni<Outcome> notifying(Uni<Outcome> outcome, CallObservers call, List<Policy> exempt) {
        return call == null ? outcome : PlainUni.map(outcome, decided -> {
            call.decided(decided, exempt);
            return decided;
        });
    }

    /** The observers of one call. */
    static final class CallObservers {

        private final DecisionObserver[] observers;

        private CallObservers(DecisionObserver[] observers) {
            this.observers = observers;
        }

        void decided(Outcome outcome, List<Policy> exempt) {
            boolean denied = false;
            for (Decision decision : outcome.decisions()) {
                if (!decision.allowed()) {
                    denied = true;
                    DENIED.debugf("Policy %s denies %s%s", decision.policy(), decision.key(), ifBlocked(decision));
                    notify(decision.policy(), Effect.DENIED, decision);
                }
            }
            if (!denied) {
                allowed(outcome, exempt);
            }
        }

        private static String ifBlocked(Decision decision) {
            return decision.reason() == DenialReason.BLOCKED ? ", which is blocked" : "";
        }

        private void allowed(Outcome outcome, List<Policy> exempt) {
            for (Decision decision : outcome.decisions()) {
                notify(decision.policy(), Effect.ALLOWED, decision);
            }
            for (Decision shadow : outcome.shadows()) {
                if (!shadow.allowed()) {
                    DENIED.debugf("Policy %s would deny %s%s", shadow.policy(), shadow.key(), ifBlocked(shadow));
                }
                notify(shadow.policy(), shadow.allowed() ? Effect.ALLOWED : Effect.SHADOW_DENIED,
                        shadow);
            }
            for (Policy policy : exempt) {
                notify(policy.name(), Effect.EXEMPT, null);
            }
        }

        /** Logs the failure of an observer, so that the call still gets its result. */
        private void notify(String policy, Effect effect, RateLimitDecision decision) {
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
