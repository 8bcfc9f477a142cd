package io.quarkiverse.ratelimit;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Objects;

/**
 * A policy denied a call: because a limit is reached ({@link RateLimitExceededException}), or because it could not be decided
 * ({@link RateLimitUnavailableException}). It has no stack trace: a denial is a result, not a fault.
 */
public abstract sealed class RateLimitException extends RuntimeException
        permits RateLimitExceededException, RateLimitUnavailableException {

    private final transient RateLimitDecision decision;
    private String message;

    RateLimitException(RateLimitDecision decision) {
        super(null, null, false, false);
        this.decision = Objects.requireNonNull(decision, "decision");
    }

    /** Built on demand: most denials never need the text. */
    @Override
    public String getMessage() {
        if (message == null) {
            message = message(decision);
        }
        return message;
    }

    abstract String message(RateLimitDecision decision);

    private void writeObject(ObjectOutputStream out) throws IOException {
        getMessage();
        out.defaultWriteObject();
    }

    /**
     * The decision of the policy that denied the call; of several the one with the longest wait. {@code null} after
     * deserialization.
     */
    public RateLimitDecision decision() {
        return decision;
    }
}
