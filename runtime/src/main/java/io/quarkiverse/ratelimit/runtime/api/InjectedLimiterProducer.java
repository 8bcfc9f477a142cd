package io.quarkiverse.ratelimit.runtime.api;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;

/** Produces the limiters that are injected by their policy's name. */
@Singleton
public class InjectedLimiterProducer {

    @Produces
    @Dependent
    @RateLimitPolicy
    RateLimiter limiter(InjectionPoint injected, RateLimiters limiters) {
        RateLimitPolicy policy = (RateLimitPolicy) injected.getQualifiers().stream()
                .filter(RateLimitPolicy.class::isInstance).findFirst().orElseThrow();
        return limiters.get(policy.value());
    }
}
