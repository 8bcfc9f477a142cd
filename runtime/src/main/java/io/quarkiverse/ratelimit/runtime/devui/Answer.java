package io.quarkiverse.ratelimit.runtime.devui;

import io.quarkiverse.ratelimit.RateLimitDecision;

/**
 * What came of a question.
 *
 * @param text in plain words
 * @param failed whether it was not answered, and {@code text} says why
 * @param decision {@code null} where it failed
 */
public record Answer(String text, boolean failed, ShownDecision decision) {

    static Answer of(Throwable failure) {
        return new Answer(failure.getMessage() == null ? failure.toString() : failure.getMessage(), true, null);
    }

    static Answer ofCall(RateLimitDecision decision) {
        String text;
        if (decision.limits().isEmpty()) {
            text = uncounted(decision);
        } else if (decision.allowed()) {
            String wait = Notation.wait(decision.delay());
            text = "Admitted: took " + decision.granted() + ", " + decision.remaining() + " left"
                    + (wait.isEmpty() ? "." : ", held back for " + wait + '.');
        } else {
            text = "Refused: " + decision.remaining() + " left, "
                    + (decision.neverAllowed() ? "and the limit never has as many as this call costs."
                            : "the same call is admitted in " + Notation.wait(decision.retryAfter()) + '.');
        }
        return new Answer(text, false, ShownDecision.of(decision));
    }

    static Answer ofLook(RateLimitDecision decision) {
        String text;
        if (decision.limits().isEmpty()) {
            text = uncounted(decision);
        } else {
            text = decision.remaining() + " left"
                    + (decision.allowed() ? "."
                            : ", the next call is admitted in " + Notation.wait(decision.retryAfter()) + '.');
        }
        return new Answer(text, false, ShownDecision.of(decision));
    }

    private static String uncounted(RateLimitDecision decision) {
        return decision.allowed()
                ? "Admitted, and not counted: the policy is off, does not limit this caller, or Redis is away."
                : "Refused, since Redis is away.";
    }

    /** This answer after another sentence. */
    Answer after(String sentence) {
        return new Answer(sentence + ' ' + text, failed, decision);
    }
}
