package io.quarkiverse.ratelimit.benchmarks;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.faulttolerance.api.RateLimit;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/** The endpoint of {@link GreetingResource} with the limits of peers, which add no headers, and after a round trip to Redis. */
@Path("/")
@Singleton
public class PeersResource {

    private final Supplier<CompletableFuture<BucketConfiguration>> plenty = () -> CompletableFuture
            .completedFuture(BucketConfiguration.builder()
                    .addLimit(limit -> limit.capacity(1_000_000_000).refillGreedy(1_000_000_000, Duration.ofSeconds(1)))
                    .build());
    private final AsyncProxyManager<String> buckets;
    private final Redis client;
    /** One of each event loop. */
    private final Map<Thread, Future<RedisConnection>> connections = new ConcurrentHashMap<>();

    PeersResource(@ConfigProperty(name = "quarkus.redis.hosts") String redis, Redis client) {
        this.client = client;
        buckets = Bucket4jLettuce.casBasedBuilder(
                RedisClient.create(redis).connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                .build().asAsync();
    }

    @GET
    @Path("bucket4j")
    @NonBlocking
    public CompletionStage<String> bucket4j(@QueryParam("caller") String caller) {
        return buckets.builder().build(caller, plenty).tryConsume(1).thenApply(allowed -> {
            if (!allowed) {
                throw new WebApplicationException(429);
            }
            return "hello";
        });
    }

    @GET
    @Path("round-trip")
    @NonBlocking
    public CompletionStage<String> roundTrip() {
        return connections.computeIfAbsent(Thread.currentThread(), loop -> client.connect())
                .compose(connection -> connection.send(Request.cmd(Command.PING))).map("hello").toCompletionStage();
    }

    @GET
    @Path("smallrye")
    @NonBlocking
    @RateLimit(1_000_000_000)
    public String smallrye() {
        return "hello";
    }
}
