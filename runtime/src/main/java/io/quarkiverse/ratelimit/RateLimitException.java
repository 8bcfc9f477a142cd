package io.quarkiverse.ratelimit;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Objects;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

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

    /**
     * Creates the exception for a denial: a {@link RateLimitUnavailableException} if Redis is unavailable, otherwise a
     * {@link RateLimitExceededException}.
     *
     * @throws IllegalArgumentException when the decision allows the call
     */
    public static RateLimitException of(RateLimitDecision decision) {
        if (decision.allowed()) {
            throw new IllegalArgumentException("The decision of policy " + decision.policy() + " allows the call.");
        }
        return decision.denialReason().filter(DenialReason.REDIS_UNAVAILABLE::equals).isPresent()
                ? new RateLimitUnavailableException(decision)
                : new RateLimitExceededException(decision);
    }

    /** Composes the message on demand, because most denials never need it. */
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
     * Returns the decision of the policy that denied the call; of several the one with the longest wait. {@code null} after
     * deserialization.
     */
    public RateLimitDecision decision() {
        return decision;
    }
}
