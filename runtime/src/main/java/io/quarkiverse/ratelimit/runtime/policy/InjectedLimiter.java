package io.quarkiverse.ratelimit.runtime.policy;

/**
 * An injection point with {@code @RateLimitPolicy}, found at build time.
 *
 * @param place the field or parameter, such as {@code com.acme.Mailer#limiter}
 */
public record InjectedLimiter(String policy, String place) {
}
