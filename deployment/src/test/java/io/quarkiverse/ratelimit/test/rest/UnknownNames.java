package io.quarkiverse.ratelimit.test.rest;

import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Beans with names of policies and of resolvers that are not there, or there several times. */
final class UnknownNames {

    private UnknownNames() {
    }

    @Singleton
    public static class Mailer {
        @Inject
        @RateLimitPolicy("emial")
        RateLimiter field;

        @Inject
        @RateLimitPolicy("later")
        Instance<RateLimiter> later;

        Mailer(@RateLimitPolicy("by-constructor") RateLimiter limiter) {
        }

        @RateLimited("logn")
        public void send() {
        }
    }

    public static class Resolvers {

        @Produces
        @Singleton
        @Identifier("tenant")
        RateLimitKeyResolver tenant() {
            return call -> Uni.createFrom().item("tenant");
        }

        @Produces
        @Singleton
        @Identifier("twice")
        RateLimitKeyResolver one() {
            return call -> Uni.createFrom().item("one");
        }

        @Produces
        @Singleton
        @Identifier("twice")
        RateLimitKeyResolver two() {
            return call -> Uni.createFrom().item("two");
        }

        @Produces
        @Singleton
        @Identifier("contract")
        RateLimitPlanResolver contract() {
            return call -> Uni.createFrom().item(RateLimitPlan.named("gold"));
        }

        @Produces
        @Singleton
        @Alternative
        @Identifier("unselected")
        RateLimitKeyResolver unselected() {
            return call -> Uni.createFrom().item("unselected");
        }
    }
}
