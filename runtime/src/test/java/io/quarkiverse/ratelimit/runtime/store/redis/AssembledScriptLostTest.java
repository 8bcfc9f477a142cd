package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RefusingProxy;
import io.vertx.redis.client.Command;

/** A script that Redis does not have is sent along, and nothing is counted twice. */
class AssembledScriptLostTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private RedisStore store;

    @BeforeEach
    void open() {
        REDIS.send(Command.SCRIPT, "FLUSH");
        REDIS.send(Command.CONFIG, "RESETSTAT");
        store = REDIS.newStore(Duration.ofSeconds(5));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void theFirstCallLoadsTheScript() {
        Caller caller = new Caller(store, "first", 2);

        assertThat(caller.isAllowed()).isTrue();
        assertThat(caller.isAllowed()).isTrue();
        assertThat(caller.isAllowed()).isFalse();

        assertThat(REDIS.calls("evalsha")).isEqualTo(3);
        assertThat(REDIS.calls("eval")).as("once more for each connection that is tried").isBetween(2L, 3L);
    }

    @Test
    void pollingSendsTheTextOfItsScriptOnlyWhenRedisDoesNotHaveIt() {
        try (RefusingProxy proxy = new RefusingProxy(REDIS.vertx, REDIS.port(), call -> false, "");
                RedisStore polling = REDIS.newStore(proxy::newClient, Duration.ofSeconds(5))) {
            OverrideStore overrides = new RedisOverrides(polling, "test");
            for (int poll = 1; poll <= 10; poll++) {
                overrides.changedSince("", 0).await().atMost(Duration.ofSeconds(5));
            }
            assertThat(proxy.calls()).filteredOn(AssembledScriptLostTest::hasTextOfOverrides).hasSize(1);

            REDIS.send(Command.SCRIPT, "FLUSH");
            overrides.changedSince("", 0).await().atMost(Duration.ofSeconds(5));
            assertThat(proxy.calls()).filteredOn(AssembledScriptLostTest::hasTextOfOverrides).hasSize(2);
        }
    }

    private static boolean hasTextOfOverrides(RefusingProxy.Call call) {
        return call.words().contains(ScriptFile.OVERRIDES.text());
    }

    @Test
    void flushingScriptsUnderLoadChangesNothing() throws Exception {
        Caller caller = new Caller(store, "load", 1_000);
        var threads = Executors.newFixedThreadPool(4);

        List<CompletableFuture<Long>> allowed = IntStream.range(0, 4)
                .mapToObj(thread -> CompletableFuture.supplyAsync(() -> IntStream.range(0, 500).filter(i -> {
                    if (i % 50 == thread) {
                        REDIS.send(Command.SCRIPT, "FLUSH");
                    }
                    return caller.request.allowedBy(caller.decide().join());
                }).count(), threads)).toList();

        assertThat(allowed.stream().mapToLong(CompletableFuture::join).sum()).isEqualTo(1_000);
        assertThat(REDIS.calls("eval")).isGreaterThan(10);
        threads.shutdown();
    }
}
