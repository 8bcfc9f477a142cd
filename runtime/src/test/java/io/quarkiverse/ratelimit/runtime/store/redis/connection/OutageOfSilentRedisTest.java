package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;

/** A Redis that accepts connections but does not reply costs one timeout, then nothing until it replies again. */
@Tag("slow")
class OutageOfSilentRedisTest {

    private static final Duration TIMEOUT = Duration.ofMillis(250);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofSeconds(10);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private RedisStore store;
    private Caller caller;
    private CapturedLog log;

    @BeforeEach
    void open() {
        store = REDIS.newStore(TIMEOUT);
        store.open().toCompletableFuture().join();
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
    void stoppedServerCostsOneTimeoutAndIsUsedAgainWithinASecond() throws Exception {
        REDIS.signal("STOP");
        try {
            assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
            long began = System.nanoTime();
            IntStream.range(0, 1_000).forEach(i -> assertThat(caller.failure()).isNotNull());
            assertThat(Duration.ofNanos((System.nanoTime() - began) / 1_000)).isLessThan(Duration.ofMillis(5));
        } finally {
            REDIS.signal("CONT");
        }

        assertThat(caller.timeToWork(SOON)).isLessThan(SECOND);
        await().until(() -> log.infos() == 1);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void callsDoNotWaitForAnOutageThatARefreshOfOverridesHasDetected() throws Exception {
        OverrideStore overrides = new RedisOverrides(store, "test");
        REDIS.signal("STOP");
        try {
            assertThat(overrides.changedSince("", 0).subscribeAsCompletionStage()).failsWithin(SOON);
            await().until(() -> log.warnings() == 1);

            assertThat(caller.timeToFail()).isLessThan(TIMEOUT);
        } finally {
            REDIS.signal("CONT");
        }
        caller.timeToWork(SOON);
    }

    @Test
    void commandThatHasFailedIsNotSentLater() throws Exception {
        REDIS.send(Command.FLUSHALL);
        REDIS.signal("STOP");
        try (RedisStore connecting = REDIS.newStore(TIMEOUT)) {
            OverrideStore overrides = new RedisOverrides(connecting, "test");
            try {
                assertThat(overrides.put("policy", "{}", SOON).subscribeAsCompletionStage()).failsWithin(SOON);
            } finally {
                REDIS.signal("CONT");
            }
            await().until(() -> connecting.health().hasConnected());

            await().during(SECOND).atMost(SOON)
                    .until(() -> overrides.changedSince("", 0).await().atMost(SOON).texts().isEmpty());
        }
    }

    @Test
    void pausedClientsAreServedAgainWithinASecond() {
        REDIS.send(Command.CLIENT, "PAUSE", 1_200, "ALL");

        assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
        // the first call may use the connection of another event loop, while its own is not yet open
        await().atMost(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);

        caller.timeToWork(SOON);
    }

    @Test
    void redisThatGreetsAndDecidesNothingIsLeftAloneUntilItDecides() {
        REDIS.send(Command.CLIENT, "PAUSE", 60_000, "WRITE");
        try {
            assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
            await().during(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);
            assertThat(log.infos()).isZero();
        } finally {
            REDIS.send(Command.CLIENT, "UNPAUSE");
        }

        assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
        await().until(() -> log.infos() == 1);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void noMoreThanTenThousandRequestsWait() throws Exception {
        CompletableFuture<List<CompletableFuture<StoreReply>>> requested = new CompletableFuture<>();
        REDIS.signal("STOP");
        try {
            REDIS.vertx.runOnContext(ignored -> requested.complete(Stream.generate(caller::decide).limit(12_500).toList()));
            List<CompletableFuture<StoreReply>> replies = requested.get(5, TimeUnit.SECONDS);

            assertThat(replies.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSizeGreaterThanOrEqualTo(2_400);
            CompletableFuture<?> all = CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]));
            assertThat(all).failsWithin(SOON);
        } finally {
            REDIS.signal("CONT");
        }
        caller.timeToWork(SOON);
    }
}
