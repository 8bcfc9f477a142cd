package io.quarkiverse.ratelimit.it;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkus.redis.datasource.RedisDataSource;

/**
 * Counts in Redis without a limit.
 */
@Path("/redis/count")
public class RedisResource {

    private final RedisDataSource redis;

    RedisResource(RedisDataSource redis) {
        this.redis = redis;
    }

    @POST
    public long count() {
        return redis.value(Long.class).incr("count");
    }
}
