package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;

/** A store that is closed leaves nothing behind. */
class RedisStoreClosedTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofSeconds(10);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void everyConnectionIsClosed() {
        long before = await().until(RedisStoreClosedTest::connections, ofTheTest -> ofTheTest == 1);
        RedisStore store = REDIS.newStore(SOON);
        Caller caller = new Caller(store, "everywhere", 1_000);
        IntStream.range(0, 4).mapToObj(i -> REDIS.vertx.deployVerticle(new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
                store.decide(caller.request).subscribe().with(reply -> started.complete(), started::fail);
            }
        })).toList().forEach(RealRedis::await);
        assertThat(connections()).isGreaterThan(before + 1);

        store.close();

        await().until(() -> connections() <= before);
    }

    @Test
    void requestsBeforeAndAfterFailAtOnce() throws Exception {
        RedisStore store = REDIS.newStore(Duration.ofMinutes(1));
        Caller caller = new Caller(store, "pending", 1_000);
        caller.timeToWork(Duration.ofSeconds(10));
        REDIS.signal("STOP");
        try {
            List<CompletableFuture<StoreReply>> pending = Stream.generate(caller::decide).limit(10).toList();

            store.close();

            assertThat(pending).allSatisfy(reply -> assertThat(reply).failsWithin(SOON));
            assertThat(caller.timeToFail()).isLessThan(SOON);
        } finally {
            REDIS.signal("CONT");
        }
    }

    @Test
    void nothingIsTriedAnyMore() {
        long before = await().until(RedisStoreClosedTest::connections, ofTheTest -> ofTheTest == 1);
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port())) {
            RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), SOON);
            new Caller(store, "proxied", 10).timeToWork(Duration.ofSeconds(10));
            proxy.closeAfterFirstReply();
            await().until(() -> proxy.accepted() > 4);

            store.close();

            await().pollDelay(Duration.ofMillis(50)).until(() -> connections() <= before);
            AtomicInteger tried = new AtomicInteger();
            await().during(SECOND).until(() -> proxy.accepted() == tried.getAndSet(proxy.accepted()));
        }
    }

    private static long connections() {
        return REDIS.send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines().count();
    }
}
