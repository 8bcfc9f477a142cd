package io.quarkiverse.ratelimit.runtime.engine;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/** Logs denials at level {@code DEBUG}, also those in shadow mode. */
final class DenialLog implements DecisionObserver {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit.denied");

    @Override
    public boolean ignoresAllowed() {
        return true;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        if (LOG.isDebugEnabled()) {
            boolean blocked = decision.denialReason().filter(DenialReason.BLOCKED::equals).isPresent();
            LOG.debugf("Policy %s %s %s%s", policy, effect == Effect.DENIED ? "denies" : "would deny", decision.key(),
                    blocked ? ", which is blocked" : "");
        }
    }
}
