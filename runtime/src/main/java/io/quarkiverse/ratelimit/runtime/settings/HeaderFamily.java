package io.quarkiverse.ratelimit.runtime.settings;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Response headers that are switched on and off together; in configuration written in lower case with a dash. */
public enum HeaderFamily {
    /** {@code RateLimit-Policy} and {@code RateLimit}. */
    RATELIMIT,
    /** {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}. */
    X_RATELIMIT
}
