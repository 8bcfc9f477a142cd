package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Notifies observers of each decision: those of all calls, or those of one call. */
public final class Observers {

    /** Without observers. */
    public static final Observers NONE = new Observers(new DecisionObserver[0], new DecisionObserver[0], false,
            new FailureLog("decisions"));

    /** The observers that ignore allowed calls. */
    private final DecisionObserver[] ofDenials;
    /** All other observers. */
    private final DecisionObserver[] ofAll;
    /** Whether an observer creates another one for each call. */
    private final boolean differsByCall;
    private final FailureLog failures;

    public Observers(List<DecisionObserver> all) {
        List<DecisionObserver> denials = new ArrayList<>(List.of(new DenialLog()));
        List<DecisionObserver> others = new ArrayList<>();
        boolean differs = false;
        for (DecisionObserver observer : all) {
            (observer.ignoresAllowed() ? denials : others).add(observer);
            differs |= observer instanceof DecisionObserver.OfCalls;
        }
        this.ofDenials = denials.toArray(new DecisionObserver[0]);
        this.ofAll = others.toArray(new DecisionObserver[0]);
        this.differsByCall = differs;
        this.failures = new FailureLog("decisions");
    }

    private Observers(DecisionObserver[] ofDenials, DecisionObserver[] ofAll, boolean differsByCall,
            FailureLog failures) {
        this.ofDenials = ofDenials;
        this.ofAll = ofAll;
        this.differsByCall = differsByCall;
        this.failures = failures;
    }

    /** Notifies all observers of an event that is no decision. */
    public void notify(Consumer<DecisionObserver> event) {
        Stream.of(ofDenials, ofAll).flatMap(Stream::of).forEach(observer -> {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                failures.failed(e);
            }
        });
    }

    /** The observers of the call that begins now, on its thread and with its context. */
    public Observers ofThisCall() {
        return differsByCall ? createdForThisCall() : this;
    }

    private Observers createdForThisCall() {
        return new Observers(ofDenials, Stream.of(ofAll)
                .map(observer -> observer instanceof DecisionObserver.OfCalls calls ? calls.ofThisCall() : observer)
                .toArray(DecisionObserver[]::new), false, failures);
    }

    /** Returns the same outcome, and notifies the observers of it. */
    public Uni<Outcome> notifying(Uni<Outcome> outcome, List<Policy> exempt) {
        return PlainUni.map(outcome, decided -> {
            decided(decided, exempt);
            return decided;
        });
    }

    public void decided(Outcome outcome, List<Policy> exempt) {
        if (outcome.isDenied()) {
            denied(outcome);
            return;
        }
        for (Decision decision : outcome.decisions()) {
            notify(ofAll, decision.policy(), Effect.ALLOWED, decision);
        }
        for (Decision shadow : outcome.shadows()) {
            if (!shadow.allowed()) {
                notify(ofDenials, shadow.policy(), Effect.SHADOW_DENIED, shadow);
            }
            notify(ofAll, shadow.policy(), shadow.allowed() ? Effect.ALLOWED : Effect.SHADOW_DENIED, shadow);
        }
        for (Policy policy : exempt) {
            notify(ofAll, policy.name(), Effect.EXEMPT, null);
        }
    }

    /** A denied call charges no policy, so those that would allow it are not reported. */
    private void denied(Outcome outcome) {
        for (Decision decision : outcome.decisions()) {
            if (!decision.allowed()) {
                notify(ofDenials, decision.policy(), Effect.DENIED, decision);
                notify(ofAll, decision.policy(), Effect.DENIED, decision);
            }
        }
    }

    /** Logs the failure of an observer, so that the call still gets its result. */
    private void notify(DecisionObserver[] observers, String policy, Effect effect, RateLimitDecision decision) {
        for (DecisionObserver observer : observers) {
            try {
                observer.decided(policy, effect, decision);
            } catch (RuntimeException e) {
                failures.failed(e);
            }
        }
    }

    /** Logs denials and their reasons at level {@code DEBUG}, also those in shadow mode. */
    static final class DenialLog implements DecisionObserver {

        private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit.denied");

        @Override
        public boolean ignoresAllowed() {
            return true;
        }

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
