package io.quarkiverse.ratelimit.runtime.engine.observers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;

/**
 * Notifies observers of each decision: those of all calls, or those of one call.
 *
 * @param denialOnly observers that need denials only
 * @param others those that need other decisions, too
 * @param differsByCall whether an observer is replaced by another one for each call
 */
public record Observers(List<DecisionObserver> denialOnly, List<DecisionObserver> others, boolean differsByCall,
        FailureLog failures) {

    /** Returns these observers, and the log of denials. */
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

    /** Notifies all observers of an allowed call, for each of its policies that counts by status. */
    public void notifyCounted(Outcome outcome) {
        if (!outcome.isDenied()) {
            outcome.all().forEach(this::notifyCounted);
        }
    }

    /** Notifies all observers of an allowed call that counts in the end, if its policy counts by status. */
    public void notifyCounted(Decision decision) {
        if (decision.allowed() && decision.appliedPolicy().countWhen().areRestricted()) {
            notify(observer -> observer.counted(decision));
        }
    }

    /** Returns the observers of the call that begins now, on its thread and with its context. */
    public Observers ofThisCall() {
        return !differsByCall ? this
                : new Observers(ofThisCall(denialOnly), ofThisCall(others), false, failures);
    }

    private static List<DecisionObserver> ofThisCall(List<DecisionObserver> all) {
        return all.stream().map(observer -> observer instanceof DecisionObserver.OfCalls calls ? calls.ofThisCall() : observer)
                .toList();
    }

    /** Notifies the observers of an outcome, and returns it. */
    public Outcome notifyOf(Outcome outcome, List<Policy> exempt) {
        if (outcome.isDenied()) {
            // no policy is charged, so those that would allow the call are not reported
            for (Decision decision : outcome.decisions()) {
                if (!decision.allowed()) {
                    denied(Effect.DENIED, decision);
                }
            }
            return outcome;
        }
        for (Decision decision : outcome.decisions()) {
            if (decision.chain() == null) {
                notify(others, decision.policy(), Effect.ALLOWED, decision);
            } else {
                allowedByOneOf(decision);
            }
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
        return outcome;
    }

    /** Notifies observers of the policies that deny a call, and of the one that allows it. */
    private void allowedByOneOf(Decision decision) {
        decision.chain().before().forEach(denial -> notify(others, denial.policy(), Effect.OVERFLOW, denial));
        boolean exceeds = decision.appliedPolicy().mode() == Mode.SHADOW && !decision.charged();
        if (exceeds) {
            denied(Effect.SHADOW_DENIED, decision);
        } else if (decision.source() == Source.NOT_LIMITED) {
            notify(others, decision.policy(), Effect.EXEMPT, null);
        } else {
            notify(others, decision.policy(), Effect.ALLOWED, decision);
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

        private static boolean isOf(RateLimitDecision decision, LimitState limit) {
            return limit.policy().isEmpty() || limit.policy().equals(decision.policy());
        }

        private static String reason(DenialReason reason, RateLimitDecision decision) {
            String words = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("redis", "Redis");
            boolean oneOfSeveral = decision.limits().stream().filter(limit -> isOf(decision, limit)).count() > 1
                    && reason != DenialReason.BLOCKED
                    && reason != DenialReason.PAUSED;
            return oneOfSeveral ? words + " (" + decision.limit() + ")" : words;
        }
    }
}
