package io.quarkiverse.ratelimit.runtime.devui;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;

/**
 * The result of an operation in the playground.
 *
 * @param text a readable sentence
 * @param failed whether the operation failed; then {@code text} is the reason
 * @param decision {@code null} if the operation failed
 */
public record PlaygroundReply(String text, boolean failed, ShownDecision decision) {

    static PlaygroundReply of(Throwable failure) {
        return new PlaygroundReply(failure.getMessage() == null ? failure.toString() : failure.getMessage(), true, null);
    }

    static PlaygroundReply ofCall(RateLimitDecision decision) {
        String text;
        if (decision.limits().isEmpty()) {
            text = uncounted(decision);
        } else if (decision.allowed()) {
            String delay = Notation.wait(decision.delay());
            text = "Allowed: acquired " + decision.granted() + ", " + decision.remaining() + " left"
                    + (delay.isEmpty() ? "." : ", delayed by " + delay + '.');
        } else {
            text = "Denied: " + decision.remaining() + " left, "
                    + (decision.neverAllowed() ? "and the cost is above the capacity of the limit."
                            : "the same call is allowed in " + Notation.wait(decision.retryAfter()) + '.');
        }
        return new PlaygroundReply(text, false, ShownDecision.of(decision));
    }

    static PlaygroundReply ofPeek(RateLimitDecision decision) {
        String text;
        if (decision.limits().isEmpty()) {
            text = uncounted(decision);
        } else {
            text = decision.remaining() + " left"
                    + (decision.allowed() ? "."
                            : ", the next call is allowed in " + Notation.wait(decision.retryAfter()) + '.');
        }
        return new PlaygroundReply(text, false, ShownDecision.of(decision));
    }

    private static String uncounted(RateLimitDecision decision) {
        if (decision.source() == Source.FALLBACK) {
            return (decision.allowed() ? "Allowed" : "Denied") + " by on-redis-failure: Redis is unavailable.";
        }
        return "Allowed and not counted: the policy is disabled, or does not limit this caller.";
    }

    /** This reply with another sentence before its text. */
    PlaygroundReply after(String sentence) {
        return new PlaygroundReply(sentence + ' ' + text, failed, decision);
    }
}
