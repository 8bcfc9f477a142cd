package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.server.ServerRequestFilter;

import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.smallrye.mutiny.Uni;

/** Counts the requests in Redis, and limits nothing. */
@ApplicationScoped
public class CountFilter {

    @Inject
    ReactiveRedisDataSource redis;

    @ServerRequestFilter
    public Uni<Response> count() {
        return redis.value(Long.class).incr("requests").map(count -> null);
    }
}
