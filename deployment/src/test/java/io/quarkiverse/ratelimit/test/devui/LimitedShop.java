package io.quarkiverse.ratelimit.test.devui;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;

/** Has every kind of entry point. */
@Path("/quotes")
public class LimitedShop {

    static final String CONFIGURATION = """
            quarkus.http.port=0
            quarkus.redis.devservices.enabled=false
            quarkus.rate-limit.timeout=10s
            quarkus.rate-limit.on-redis-failure=allow
            quarkus.rate-limit.policies.quotes.permits=3
            quarkus.rate-limit.policies.quotes.period=60m
            quarkus.rate-limit.policies.quotes.key=header:X-Api-Key
            quarkus.rate-limit.policies.searches.limits.short.permits=5
            quarkus.rate-limit.policies.searches.limits.short.period=1m
            quarkus.rate-limit.policies.searches.limits.long.permits=50
            quarkus.rate-limit.policies.searches.limits.long.calendar=day
            quarkus.rate-limit.policies.searches.limits.long.algorithm=fixed-window
            quarkus.rate-limit.policies.searches.key=ip
            quarkus.rate-limit.policies.mails.permits=2
            quarkus.rate-limit.policies.mails.algorithm=concurrency
            quarkus.rate-limit.policies.mails.mode=shadow
            quarkus.rate-limit.policies.mails.on-redis-failure=deny
            quarkus.rate-limit.routes.orders.paths=/orders/*
            quarkus.rate-limit.routes.orders.methods=POST
            quarkus.rate-limit.routes.orders.policy=searches
            """;

    @GET
    @RateLimited("quotes")
    public String quote() {
        return "quote";
    }

    @GET
    @Path("{author}")
    @RateLimited(value = "searches", cost = 2)
    public String quote(@PathParam("author") @RateLimitKey String author) {
        return author;
    }

    @Singleton
    public static class Mailer {

        @Inject
        @RateLimitPolicy("mails")
        RateLimiter limiter;

        @RateLimited("searches")
        public void search() {
        }

        @RateLimited("searches")
        public void send(String text, @RateLimitKey("user.name") Mail mail) {
        }
    }

    public record Mail(User user) {
    }

    public record User(String name) {
    }
}
