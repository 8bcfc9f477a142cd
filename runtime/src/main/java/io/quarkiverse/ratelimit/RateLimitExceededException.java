package io.quarkiverse.ratelimit;

import java.util.Objects;

/**
 * A call was refused by a policy. It has no stack trace: a refusal is an answer, not a fault.
 * Reaching Quarkus REST it becomes {@code 429 Too Many Requests}, over gRPC {@code RESOURCE_EXHAUSTED}, unless the
 * application maps it itself.
 */
public class RateLimitExceededException extends RuntimeException {

    private final transient RateLimitDecision decision;

    public RateLimitExceededException(RateLimitDecision decision) {
        this("Rate limit exceeded: policy " + decision.policy() + ", limit " + decision.limit()
                + (decision.neverAllowed() ? ", the call can never be admitted"
                        : ", retry after " + decision.retryAfter()),
                decision);
    }

    RateLimitExceededException(String message, RateLimitDecision decision) {
        super(message, null, false, false);
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** The decision of the policy that refused; of several the one with the longest wait. */
    public RateLimitDecision decision() {
        return decision;
    }
}
