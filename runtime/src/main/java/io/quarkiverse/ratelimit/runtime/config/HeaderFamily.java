package io.quarkiverse.ratelimit.runtime.config;

/** Response headers that are switched on and off together. */
public enum HeaderFamily {
    /** {@code RateLimit-Policy} and {@code RateLimit}. */
    RATELIMIT,
    /** {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
    X_RATELIMIT,
    /** No headers; stands alone. */
    NONE
}
