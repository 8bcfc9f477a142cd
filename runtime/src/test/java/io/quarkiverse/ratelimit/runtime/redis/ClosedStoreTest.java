package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;

/** A store that is closed leaves nothing behind. */
class ClosedStoreTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void everyConnectionIsClosed() {
        long before = connections();
        RedisStore store = REDIS.newStore(SECOND);
        Caller caller = new Caller(store, "everywhere", 1_000);
        IntStream.range(0, 4).mapToObj(i -> REDIS.vertx.deployVerticle(new AbstractVerticle() {
            @Override
            public void start(Promise<Void> started) {
                store.decide(caller.question).subscribe().with(reply -> started.complete(), started::fail);
            }
        })).toList().forEach(RealRedis::await);
        assertThat(connections()).isGreaterThan(before + 1);

        store.close();

        await().atMost(SECOND).until(() -> connections() <= before);
    }

    @Test
    void whatIsAskedBeforeAndAfterFailsAtOnce() throws Exception {
        RedisStore store = REDIS.newStore(Duration.ofSeconds(5));
        Caller caller = new Caller(store, "pending", 1_000);
        caller.timeToWork(Duration.ofSeconds(10));
        REDIS.signal("STOP");
        try {
            List<CompletableFuture<long[]>> pending = Stream.generate(caller::ask).limit(10).toList();

            store.close();

            assertThat(pending).allSatisfy(answer -> assertThat(answer).failsWithin(SECOND));
            assertThat(caller.timeToFail()).isLessThan(SECOND);
        } finally {
            REDIS.signal("CONT");
        }
    }

    @Test
    void nothingIsTriedAnyMore() {
        long before = connections();
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port())) {
            RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), SECOND);
            new Caller(store, "proxied", 10).timeToWork(Duration.ofSeconds(10));
            proxy.closeAfterFirstReply();
            await().until(() -> proxy.accepted() > 4);

            store.close();

            await().pollDelay(Duration.ofMillis(50)).until(() -> connections() <= before);
            int tried = proxy.accepted();
            await().during(SECOND).atMost(SECOND.multipliedBy(3)).until(() -> proxy.accepted() == tried);
        }
    }

    private static long connections() {
        return REDIS.send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines().count();
    }
}
