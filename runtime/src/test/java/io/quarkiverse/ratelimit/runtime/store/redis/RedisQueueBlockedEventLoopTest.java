package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.core.Context;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.net.NetServer;
import io.vertx.redis.client.Command;

/** A blocked event loop does not mark Redis as unavailable, and sends no late request. */
class RedisQueueBlockedEventLoopTest {

    private static final Duration TIMEOUT = Duration.ofMillis(250);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private RedisStore store;
    private Caller caller;
    private CapturedLog log;

    @BeforeEach
    void open() {
        store = REDIS.newStore(TIMEOUT);
        caller = new Caller(store, "caller", 1_000_000);
        caller.timeToWork(Duration.ofSeconds(10));
        log = new CapturedLog();
    }

    @AfterEach
    void close() {
        store.close();
        log.close();
    }

    @Test
    void blockedEventLoopStillReadsTheReply() throws Exception {
        Context loop = REDIS.vertx.getOrCreateContext();
        CountDownLatch blocked = new CountDownLatch(1);
        NetServer server = REDIS.vertx.createNetServer().connectHandler(socket -> socket.handler(ignored -> {
            blocked.countDown();
            holdUp(TIMEOUT.multipliedBy(4));
        }));
        loop.runOnContext(ignored -> server.listen(0, "127.0.0.1"));
        await().until(() -> server.actualPort() > 0);
        decide(loop).get(5, TimeUnit.SECONDS);

        try (Socket socket = new Socket("127.0.0.1", server.actualPort())) {
            REDIS.signal("STOP");
            CompletableFuture<StoreReply> result = decide(loop);
            loop.runOnContext(ignored -> loop.runOnContext(sent -> write(socket)));
            assertThat(blocked.await(5, TimeUnit.SECONDS)).isTrue();
            REDIS.signal("CONT");

            assertThat(result).succeedsWithin(SECOND.multipliedBy(3));
            assertThat(log.warnings()).isZero();
        } finally {
            REDIS.signal("CONT");
        }
    }

    @Test
    void lateRequestIsNotSent() {
        Caller late = new Caller(store, "late", 10);
        ((VertxInternal) REDIS.vertx).nettyEventLoopGroup()
                .forEach(loop -> loop.execute(() -> holdUp(TIMEOUT.multipliedBy(2))));

        assertThat(late.failure()).hasMessageContaining("in time");

        assertThat(caller.timeToWork(SECOND)).isLessThan(MARGIN);
        assertThat(REDIS.send(Command.EXISTS, "test:{late}:plenty:l0:tb1").toInteger()).isZero();
        assertThat(log.warnings()).isZero();
    }

    private CompletableFuture<StoreReply> decide(Context loop) {
        CompletableFuture<StoreReply> result = new CompletableFuture<>();
        loop.runOnContext(ignored -> caller.decide().whenComplete((reply, failure) -> {
            if (failure == null) {
                result.complete(reply);
            } else {
                result.completeExceptionally(failure);
            }
        }));
        return result;
    }

    private static void write(Socket socket) {
        try {
            socket.getOutputStream().write(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void holdUp(Duration time) {
        try {
            new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
