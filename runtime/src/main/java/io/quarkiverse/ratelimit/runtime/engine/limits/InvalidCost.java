package io.quarkiverse.ratelimit.runtime.engine.limits;

/**
 * Fails a call whose {@code @RateLimitCost} is not a valid cost. It has no stack trace, because callers may choose the cost.
 */
public sealed class InvalidCost extends IllegalArgumentException {

    private InvalidCost(String message) {
        super(message);
    }

    /** @param method the id of the limited method */
    static InvalidCost of(String method, long max, Object cost) {
        return new InvalidCost("The @RateLimitCost of " + method + " must be 0 to " + max + ", but is " + cost);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** Fails an HTTP request, which gets status 400. */
    public static final class OfRequest extends InvalidCost {

        OfRequest(long max, Object cost) {
            super("The cost must be 0 to " + max + ", but is " + cost + ".");
        }
    }
}
