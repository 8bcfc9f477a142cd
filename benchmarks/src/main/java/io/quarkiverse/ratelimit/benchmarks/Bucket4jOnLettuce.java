package io.quarkiverse.ratelimit.benchmarks;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteAsyncBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.DelayParameters;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;

/**
 * Bucket4j, asynchronous, on one connection of Lettuce. Its buckets are created in advance, because buckets
 * with batching must be kept.
 */
final class Bucket4jOnLettuce implements Contender {

    /** Its optimizations. */
    enum Form {
        NONE("Bucket4j"),
        BATCHING("Bucket4j with batching"),
        /** Decides without Redis, and sends what it has allowed later: after a tenth of a second or of the permits. */
        DELAYING("Bucket4j with delaying");

        private final String label;

        Form(String label) {
            this.label = label;
        }
    }

    private final StatefulRedisConnection<String, byte[]> connection;
    private final AsyncProxyManager<String> buckets;
    private final Form form;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private AsyncBucketProxy[] bucketOf;

    Bucket4jOnLettuce(RedisClient client, Form form) {
        this.connection = client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE));
        this.buckets = Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(
                        ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                .build().asAsync();
        this.form = form;
    }

    @Override
    public String name() {
        return form.label;
    }

    /** With delaying, calls are charged later, so that several instances may allow more than the limit. */
    @Override
    public boolean isPeer() {
        return form != Form.DELAYING;
    }

    @Override
    public void limit(String prefix, Rate[] rates) {
        Map<Rate, CompletableFuture<BucketConfiguration>> configuration = new HashMap<>();
        bucketOf = new AsyncBucketProxy[rates.length];
        for (int i = 0; i < rates.length; i++) {
            RemoteAsyncBucketBuilder<String> builder = buckets.builder();
            if (form != Form.NONE) {
                builder = builder.withOptimization(optimization(rates[i]));
            }
            CompletableFuture<BucketConfiguration> its = configuration.computeIfAbsent(rates[i],
                    rate -> CompletableFuture.completedFuture(configuration(rate)));
            bucketOf[i] = builder.build(name() + ":" + prefix + i, () -> its);
        }
    }

    private Optimization optimization(Rate rate) {
        return form == Form.BATCHING ? Optimizations.batching()
                : Optimizations.delaying(new DelayParameters(Math.max(1, rate.permits() / 10), Duration.ofMillis(100)));
    }

    private static BucketConfiguration configuration(Rate rate) {
        return BucketConfiguration.builder().addLimit(limit -> {
            var burst = limit.capacity(rate.permits());
            return rate.interval() ? burst.refillIntervally(rate.permits(), rate.period())
                    : burst.refillGreedy(rate.permits(), rate.period());
        }).build();
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(bucketOf.length, deadline);
        if (form != Form.DELAYING) {
            return calls.run(inFlight, Runnable::run, key -> calls.decided(bucketOf[key].tryConsume(1)));
        }
        // a call within the completion of another one never completes
        return calls.run(inFlight, thread,
                key -> calls.decided(bucketOf[key].tryConsume(1).thenApplyAsync(Function.identity(), thread)));
    }

    /** Each decision reads with GET, and its script, which compares and swaps, reads once more. */
    @Override
    public long sent(ToLongFunction<String> calls) {
        return calls.applyAsLong("get");
    }

    @Override
    public void close() {
        thread.shutdown();
        connection.close();
    }
}
