package io.quarkiverse.ratelimit.demo;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.smallrye.mutiny.Uni;

@Path("/quotes")
public class QuoteResource {

    private final ReactiveRedisDataSource redis;

    QuoteResource(ReactiveRedisDataSource redis) {
        this.redis = redis;
    }

    @GET
    public Uni<String> quote() {
        return redis.value(Long.class).incr("quotes")
                .map(count -> "Quote " + count + ": Festina lente.\n");
    }
}
