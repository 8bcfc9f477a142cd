package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;

/** A store reports the state of its Redis without a request to it. */
class RedisHealthTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void redisIsConnectedOnceItHasBeenOpened() {
        try (RedisStore store = REDIS.newStore(Duration.ofSeconds(5))) {
            assertThat(store.health()).returns(false, RedisHealth::hasConnected).returns(1, RedisHealth::nodes);

            store.open().toCompletableFuture().join();

            assertThat(store.health().hasConnected()).isTrue();
            assertThat(store.health().unavailable()).isEmpty();
        }
    }

    @Test
    void redisThatCannotBeReachedIsUnavailableAndForEverLonger() {
        UnavailableNode unavailable = unavailable(() -> REDIS.newClient("redis://127.0.0.1:1"));

        assertThat(unavailable.address()).isEmpty();
        assertThat(unavailable.since()).isPositive();
        assertThat(unavailable.reason()).contains("Connection refused");
    }

    @Test
    void redisThatNeedsAPasswordIsUnavailableBeforeTheFirstCall() {
        REDIS.send(Command.CONFIG, "SET", "requirepass", "secret");
        try {
            assertThat(unavailable(REDIS::newClient).reason()).contains("NOAUTH");
        } finally {
            REDIS.send(Command.CONFIG, "SET", "requirepass", "");
        }
    }

    @Test
    void reasonIsThatOfTheLastTry() {
        AtomicReference<String> reason = new AtomicReference<>("first");
        try (RedisStore store = REDIS.newStore(() -> {
            throw new IllegalStateException(reason.get());
        }, Duration.ofSeconds(5))) {
            store.open();
            await().until(
                    () -> store.health().unavailable().stream().anyMatch(unavailable -> unavailable.reason().equals("first")));

            reason.set("then");

            await().until(() -> store.health().unavailable().get(0).reason().equals("then"));
        }
    }

    @Test
    void reasonNamesNoCaller() {
        assertThat(
                RedisStoreException.error("ERR unknown command `evalsha`, with args beginning with: `9`, `{ip=192.0.2.1}`"))
                .hasMessageEndingWith("ERR unknown command `evalsha`");
    }

    @Test
    void reasonHasNoPassword() {
        assertThat(unavailable(() -> REDIS.newClient("redis://nobody:s3cret@127.0.0.1:" + REDIS.port())).reason())
                .contains("WRONGPASS").doesNotContain("s3cret");
        assertThat(unavailable(() -> {
            throw new IllegalStateException("No use for redis://user:s3cret@redis.example.com?password=s3cret today\nor ever");
        }).reason()).isEqualTo("No use for redis://*** today");
    }

    private static UnavailableNode unavailable(Supplier<Redis> clients) {
        try (RedisStore store = REDIS.newStore(clients, Duration.ofSeconds(5))) {
            store.open();
            await().atMost(Duration.ofSeconds(10)).until(() -> !store.health().unavailable().isEmpty());
            assertThat(store.health().hasConnected()).isFalse();
            return store.health().unavailable().get(0);
        }
    }
}
