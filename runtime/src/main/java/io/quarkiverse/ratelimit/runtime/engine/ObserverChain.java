package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Notifies all observers of each decision, and logs denials. */
public final class ObserverChain {

    static final ObserverChain NONE = new ObserverChain(List.of());

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<DecisionObserver> all;
    /** The observers that ignore allowed calls. */
    private final DecisionObserver[] ofDenials;
    /** All other observers. */
    private final DecisionObserver[] ofAll;
    /** The same for all calls; {@code null} if an observer creates another one for each call. */
    private final CallObservers ofEachCall;

    public ObserverChain(List<DecisionObserver> all) {
        this.all = List.copyOf(all);
        this.ofDenials = Stream.concat(Stream.of(new DenialLog()), all.stream().filter(DecisionObserver::ignoresAllowed))
                .toArray(DecisionObserver[]::new);
        this.ofAll = all.stream().filter(observer -> !observer.ignoresAllowed()).toArray(DecisionObserver[]::new);
        this.ofEachCall = all.stream().anyMatch(DecisionObserver.OfCalls.class::isInstance) ? null
                : new CallObservers(ofDenials, ofAll);
    }

    public void expect(Collection<Policy> policies) {
        all.forEach(observer -> observer.expect(policies));
    }

    /** The observers of the call that begins now, on its thread and with its context. */
    CallObservers ofThisCall() {
        return ofEachCall != null ? ofEachCall
                : new CallObservers(ofDenials, Stream.of(ofAll)
                        .map(observer -> observer instanceof DecisionObserver.OfCalls calls ? calls.ofThisCall() : observer)
                        .toArray(DecisionObserver[]::new));
    }

    /** Returns the same outcome, and notifies the observers of it. */
    static Uni<Outcome> notifying(Uni<Outcome> outcome, CallObservers call, List<Policy> exempt) {
        return PlainUni.map(outcome, decided -> {
            call.decided(decided, exempt);
            return decided;
        });
    }

    /** The observers of one call. */
    static final class CallObservers {

        static final CallObservers NONE = new CallObservers(new DecisionObserver[0], new DecisionObserver[0]);

        private final DecisionObserver[] ofDenials;
        private final DecisionObserver[] ofAll;

        private CallObservers(DecisionObserver[] ofDenials, DecisionObserver[] ofAll) {
            this.ofDenials = ofDenials;
            this.ofAll = ofAll;
        }

        void decided(Outcome outcome, List<Policy> exempt) {
            boolean denied = false;
            for (Decision decision : outcome.decisions()) {
                if (!decision.allowed()) {
                    denied = true;
                    notify(ofDenials, decision.policy(), Effect.DENIED, decision);
                    notify(ofAll, decision.policy(), Effect.DENIED, decision);
                }
            }
            // a denied call charges no policy, so those that would allow it are not reported
            if (!denied) {
                allowed(outcome, exempt);
            }
        }

        private void allowed(Outcome outcome, List<Policy> exempt) {
            for (Decision decision : outcome.decisions()) {
                notify(ofAll, decision.policy(), Effect.ALLOWED, decision);
            }
            for (Decision shadow : outcome.shadows()) {
                if (!shadow.allowed()) {
                    notify(ofDenials, shadow.policy(), Effect.SHADOW_DENIED, shadow);
                }
                notify(ofAll, shadow.policy(), shadow.allowed() ? Effect.ALLOWED : Effect.SHADOW_DENIED,
                        shadow);
            }
            for (Policy policy : exempt) {
                notify(ofAll, policy.name(), Effect.EXEMPT, null);
            }
        }

        /** Logs the failure of an observer, so that the call still gets its result. */
        private static void notify(DecisionObserver[] observers, String policy, Effect effect, RateLimitDecision decision) {
            for (DecisionObserver observer : observers) {
                try {
                    observer.decided(policy, effect, decision);
                } catch (RuntimeException e) {
                    LOG.debugf(e, "A decision of policy %s could not be observed", policy);
                }
            }
        }
    }

    /** Logs denials at level {@code DEBUG}. */
    private static final class DenialLog implements DecisionObserver {

        private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit.denied");

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            if (LOG.isDebugEnabled()) {
                boolean blocked = decision.denialReason().filter(DenialReason.BLOCKED::equals).isPresent();
                LOG.debugf("Policy %s %s %s%s", policy, effect == Effect.DENIED ? "denies" : "would deny", decision.key(),
                        blocked ? ", which is blocked" : "");
            }
        }
    }
}
