package io.quarkiverse.ratelimit;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.platform.Waits;

/**
 * A limit denied a call. An HTTP response is {@code 429 Too Many Requests}, a gRPC status {@code RESOURCE_EXHAUSTED}, a GraphQL
 * error has the code {@code RATE_LIMITED}, the result of an MCP tool is an error, unless the application maps the exception
 * itself.
 */
public non-sealed class RateLimitExceededException extends RateLimitException {

    /** @param decision a denial, not {@code null} */
    public RateLimitExceededException(RateLimitDecision decision) {
        super(decision);
    }

    @Override
    String message(RateLimitDecision decision) {
        DenialReason reason = decision.denialReason().orElse(DenialReason.LIMIT_REACHED);
        return "Rate limit exceeded: policy " + decision.policy() + switch (reason) {
            case MISSING_KEY -> ", a part of the caller's key is missing";
            case BLOCKED -> ", the caller is blocked, retry after " + Waits.inWords(decision.retryAfter());
            case PAUSED -> ", the called service asks for a pause, retry after " + Waits.inWords(decision.retryAfter());
            case LIMIT_REACHED, COST_ABOVE_CAPACITY, REDIS_UNAVAILABLE -> ", limit " + decision.limit()
                    + (decision.neverAllowed() ? ", the call can never be allowed"
                            : ", retry after " + Waits.inWords(decision.retryAfter()));
        };
    }
}
