package io.quarkiverse.ratelimit.runtime.redis;

import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;

/** A connection that a lane holds, alone in a client of its own so that closing it really closes the socket. */
final class LaneConnection {

    private final Redis client;
    private final RedisConnection redis;
    int unanswered;

    LaneConnection(Redis client, RedisConnection redis) {
        this.client = client;
        this.redis = redis;
    }

    RedisConnection redis() {
        return redis;
    }

    void onLost(Runnable lost) {
        redis.exceptionHandler(ignored -> lost.run());
        redis.endHandler(ignored -> lost.run());
    }

    void close() {
        redis.exceptionHandler(ignored -> {
        });
        redis.endHandler(null);
        client.close();
    }
}
