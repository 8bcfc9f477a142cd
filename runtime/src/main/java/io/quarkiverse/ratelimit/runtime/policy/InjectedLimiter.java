package io.quarkiverse.ratelimit.runtime.policy;

/**
 * A {@code @RateLimitPolicy}, as found at build time.
 *
 * @param place where it is, such as {@code com.acme.Mailer#limiter}
 */
public record InjectedLimiter(String policy, String place) {
}
