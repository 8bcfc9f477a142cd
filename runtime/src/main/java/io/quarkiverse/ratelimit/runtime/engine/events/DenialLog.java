package io.quarkiverse.ratelimit.runtime.engine.events;

import java.util.Locale;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/** Logs denials and their reasons at level {@code DEBUG}, also those in shadow mode. */
final class DenialLog implements DecisionObserver {

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
        boolean oneOfSeveral = decision.limits().size() > 1 && reason != DenialReason.BLOCKED && reason != DenialReason.PAUSED;
        return oneOfSeveral ? words + " (" + decision.limit() + ")" : words;
    }
}
