package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/**
 * Notifies observers of each decision: those of all calls, or those of one call.
 *
 * @param denialOnly the observers that need denials only
 * @param others those that need other decisions, too
 * @param differsByCall whether an observer has its own one for each call
 */
public record Observers(List<DecisionObserver> denialOnly, List<DecisionObserver> others, boolean differsByCall,
        FailureLog failures) {

    public static final Observers NONE = new Observers(List.of(), List.of(), false, new FailureLog("decisions"));

    /** These observers, and the log of denials. */
    public static Observers of(List<DecisionObserver> all) {
        List<DecisionObserver> denials = new ArrayList<>(List.of(new DenialLog()));
        List<DecisionObserver> others = new ArrayList<>();
        boolean differs = false;
        for (DecisionObserver observer : all) {
            (observer instanceof DecisionObserver.OfDenials ? denials : others).add(observer);
            differs |= observer instanceof DecisionObserver.OfCalls;
        }
        return new Observers(denials, others, differs, new FailureLog("decisions"));
    }

    /** Notifies all observers of an event that is not a decision. */
    public void notify(Consumer<DecisionObserver> event) {
        failures.notify(denialOnly, event);
        failures.notify(others, event);
    }

    /** The observers of the call that begins now, on its thread and with its context. */
    public Observers ofThisCall() {
        return !differsByCall ? this
                : new Observers(ofThisCall(denialOnly), ofThisCall(others), false, failures);
    }

    private static List<DecisionObserver> ofThisCall(List<DecisionObserver> all) {
        return all.stream().map(observer -> observer instanceof DecisionObserver.OfCalls calls ? calls.ofThisCall() : observer)
                .toList();
    }

    /** Returns the same outcome, and notifies the observers of it. */
    public Uni<Outcome> notifying(Uni<Outcome> outcome, List<Policy> exempt) {
        return PlainUni.map(outcome, result -> {
            notifyOf(result, exempt);
            return result;
        });
    }

    public void notifyOf(Outcome outcome, List<Policy> exempt) {
        if (outcome.isDenied()) {
            // no policy is charged, so those that would allow the call are not reported
            for (Decision decision : outcome.decisions()) {
                if (!decision.allowed()) {
                    denied(Effect.DENIED, decision);
                }
            }
            return;
        }
        for (Decision decision : outcome.decisions()) {
            notify(others, decision.policy(), Effect.ALLOWED, decision);
        }
        for (Decision shadow : outcome.shadows()) {
            if (shadow.allowed()) {
                notify(others, shadow.policy(), Effect.ALLOWED, shadow);
            } else {
                denied(Effect.SHADOW_DENIED, shadow);
            }
        }
        for (Policy policy : exempt) {
            notify(others, policy.name(), Effect.EXEMPT, null);
        }
    }

    private void denied(Effect effect, Decision denial) {
        notify(denialOnly, denial.policy(), effect, denial);
        notify(others, denial.policy(), effect, denial);
    }

    /** Logs the failure of an observer, so that the call still gets its result. */
    private void notify(List<DecisionObserver> observers, String policy, Effect effect, RateLimitDecision decision) {
        for (DecisionObserver observer : observers) {
            try {
                observer.decided(policy, effect, decision);
            } catch (RuntimeException e) {
                failures.failed(e);
            }
        }
    }

    /** Logs denials and their reasons at level {@code DEBUG}, also those in shadow mode. */
    static final class DenialLog implements DecisionObserver.OfDenials {

        private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit.denied");

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            if (LOG.isDebugEnabled()) {
                LOG.debug(message(policy, effect, decision));
            }
        }

        static String message(String policy, Effect effect, RateLimitDecision decision) {
            String reason = decision.denialReason().map(denial -> ": " + reason(denial, decision)).orElse("");
            return "Policy " + policy + (effect == Effect.DENIED ? " denies " : " would deny ")
                    + (decision.key().isEmpty() ? "a call" : decision.key()) + reason;
        }

        private static String reason(DenialReason reason, RateLimitDecision decision) {
            String words = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("redis", "Redis");
            boolean oneOfSeveral = decision.limits().size() > 1 && reason != DenialReason.BLOCKED
                    && reason != DenialReason.PAUSED;
            return oneOfSeveral ? words + " (" + decision.limit() + ")" : words;
        }
    }
}
