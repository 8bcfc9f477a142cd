package io.quarkiverse.ratelimit;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Objects;

/**
 * A call was refused by a policy. It has no stack trace: a refusal is an answer, not a fault.
 * Reaching Quarkus REST it becomes {@code 429 Too Many Requests}, over gRPC {@code RESOURCE_EXHAUSTED}, unless the
 * application maps it itself.
 */
public class RateLimitExceededException extends RuntimeException {

    private final transient RateLimitDecision decision;
    private String message;

    public RateLimitExceededException(RateLimitDecision decision) {
        super(null, null, false, false);
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** Made when it is asked for: most refusals are answered without it. */
    @Override
    public String getMessage() {
        if (message == null) {
            message = message(decision);
        }
        return message;
    }

    String message(RateLimitDecision decision) {
        return "Rate limit exceeded: policy " + decision.policy() + ", limit " + decision.limit()
                + (decision.neverAllowed() ? ", the call can never be admitted"
                        : ", retry after " + decision.retryAfter());
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        getMessage();
        out.defaultWriteObject();
    }

    /** The decision of the policy that refused; of several the one with the longest wait. */
    public RateLimitDecision decision() {
        return decision;
    }
}
