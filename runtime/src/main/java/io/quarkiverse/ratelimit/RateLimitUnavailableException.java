package io.quarkiverse.ratelimit;

/**
 * A call was refused because Redis is away and the policy's {@code on-redis-failure} is {@code deny}.
 * Reaching Quarkus REST it becomes {@code 503 Service Unavailable}, over gRPC {@code UNAVAILABLE}, unless the application
 * maps it itself.
 */
public final class RateLimitUnavailableException extends RateLimitExceededException {

    public RateLimitUnavailableException(RateLimitDecision decision) {
        super(decision);
    }

    @Override
    String message(RateLimitDecision decision) {
        return "Rate limit cannot be decided while Redis is away: policy " + decision.policy() + ", retry after "
                + decision.retryAfter();
    }
}
