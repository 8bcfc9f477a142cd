package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Decide;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisQueue.RedirectHandler;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;

/** The deadline of a request may pass while a queue sends it to the node that imports its slot. */
class RedisQueueAskingTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final StoreRequest REQUEST = StoreRequests.requestOf("caller", 1,
            StoreRequests.policy("many", Limit.fixedWindow(1_000_000, Duration.ofSeconds(1))));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private RedisQueue queue;

    @Test
    void requestIsSentOrFailsInTime() throws Exception {
        Context context = REDIS.vertx.getOrCreateContext();
        run(context, () -> queue = new RedisQueue(EventLoop.currentOrNew(REDIS.vertx), RedisConnector.to(REDIS::newClient),
                new DecideScript("test", Clock.systemUTC()), new Outage(""), RedirectHandler.NONE, TIMEOUT.toNanos()));
        queue.open().toCompletableFuture().get(10, TimeUnit.SECONDS);

        for (long nanos = 0; nanos < 20_000; nanos += 10) {
            long left = nanos;
            CompletableFuture<StoreReply> reply = new CompletableFuture<>();
            run(context, () -> Uni.createFrom().<StoreReply> emitter(emitter -> {
                long now = System.nanoTime();
                queue.sendAsking(new Decide(REQUEST, new Deadline(now, now + left), emitter));
            }).subscribe().with(reply::complete, reply::completeExceptionally));

            Throwable failure = reply.handle((ignored, failed) -> failed).get(10, TimeUnit.SECONDS);
            assertThat(failure).satisfiesAnyOf(none -> assertThat(none).isNull(),
                    late -> assertThat(late).isInstanceOf(RedisStoreException.class).hasMessageContaining("in time"));
        }
        queue.close();
    }

    private static void run(Context context, Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        context.runOnContext(ignored -> {
            task.run();
            done.complete(null);
        });
        done.get(10, TimeUnit.SECONDS);
    }
}
