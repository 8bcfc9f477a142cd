package io.quarkiverse.ratelimit;

import io.quarkiverse.ratelimit.runtime.platform.Waits;

/**
 * A call was denied because Redis is unavailable and the policy's {@code on-redis-failure} is {@code deny}, or Redis did not
 * confirm a reset, a block or another operation of {@link RateLimitAdmin}. An HTTP response is
 * {@code 503 Service Unavailable}, a gRPC status {@code UNAVAILABLE}, a GraphQL error has the code
 * {@code RATE_LIMIT_UNAVAILABLE}, unless the application maps the exception itself.
 */
public non-sealed class RateLimitUnavailableException extends RateLimitException {

    /** @param decision a denial, not {@code null} */
    public RateLimitUnavailableException(RateLimitDecision decision) {
        super(decision);
    }

    @Override
    String message(RateLimitDecision decision) {
        return "Rate limit unavailable: policy " + decision.policy()
                + " cannot be decided while Redis is unavailable, retry after " + Waits.inWords(decision.retryAfter());
    }
}
