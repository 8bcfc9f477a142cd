package io.quarkiverse.ratelimit.runtime.api;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.InjectionPoint;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;

/** Produces the limiters that are injected by the name of their policy. */
@Singleton
public class LimiterProducer {

    @Produces
    @Dependent
    @RateLimitPolicy
    RateLimiter limiter(InjectionPoint injected, PolicyLimiters limiters) {
        return limiters.get(policy(injected));
    }

    @Produces
    @Dependent
    @RateLimitPolicy
    ReactiveRateLimiter reactiveLimiter(InjectionPoint injected, PolicyLimiters limiters) {
        return limiters.get(policy(injected)).reactive();
    }

    private static String policy(InjectionPoint injected) {
        return injected.getQualifiers().stream().filter(RateLimitPolicy.class::isInstance).map(RateLimitPolicy.class::cast)
                .findFirst().orElseThrow().value();
    }
}
