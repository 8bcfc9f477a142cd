package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.TcpProxy;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;

/** Connections come back by themselves; what was on its way is never sent again. */
@Tag("slow")
class ReconnectorTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);
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
    void restartedServerIsUsedAgainWithinASecondAndLoggedOnce() throws Exception {
        REDIS.stop();
        try {
            await().until(() -> caller.failure() != null);
            assertThat(caller.timeToFail()).isLessThan(TIMEOUT);
            await().during(SECOND).until(() -> caller.failure() != null);
        } finally {
            REDIS.start();
        }

        assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
        await().until(() -> log.infos() == 1);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void serverThatIsDownAtStartIsUsedOnceItIsUp() throws Exception {
        REDIS.stop();
        try (RedisStore early = REDIS.newStore(TIMEOUT)) {
            early.open();
            Caller first = new Caller(early, "early", 10);
            await().until(() -> first.timeToFail().compareTo(TIMEOUT) < 0);
            REDIS.start();

            assertThat(first.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
        } finally {
            REDIS.start();
        }
    }

    @Test
    void killedConnectionIsReplacedBeforeTheNextRequest() {
        REDIS.send(Command.CLIENT, "KILL", "TYPE", "normal", "SKIPME", "yes");

        await().until(() -> connections() >= 2);

        assertThat(caller.failure()).isNull();
        assertThat(log.warnings()).isZero();
    }

    @Test
    void requestsOnTheirWayFailAndAreNotSentAgain() throws Exception {
        Caller other = new Caller(store, "on the way", 1_000_000);
        REDIS.send(Command.CONFIG, "RESETSTAT");
        REDIS.signal("STOP");
        List<CompletableFuture<StoreReply>> lost;
        try {
            lost = Stream.generate(other::decide).limit(20).toList();
            assertThat(CompletableFuture.allOf(lost.toArray(new CompletableFuture<?>[0]))).failsWithin(SOON);
        } finally {
            REDIS.signal("CONT");
        }
        caller.timeToWork(SOON);

        assertThat(lost).allMatch(CompletableFuture::isCompletedExceptionally);
        StoreReply reply = other.decide().join();
        assertThat(StoreRequests.inUse(reply, 0)).as("what was charged").isLessThanOrEqualTo(20);
    }

    @Test
    void requestFromWithinAFailureGetsAReply() throws Exception {
        REDIS.signal("STOP");
        try {
            caller.decide();
            Uni<StoreReply> twice = store.decide(caller.request).onFailure()
                    .recoverWithUni(() -> store.decide(caller.request));
            List<CompletableFuture<StoreReply>> later = await().pollDelay(TIMEOUT.dividedBy(2))
                    .until(() -> Stream.generate(twice::subscribeAsCompletionStage).limit(3).toList(), requested -> true);

            assertThat(later).allSatisfy(reply -> assertThat(reply).failsWithin(SOON));
        } finally {
            REDIS.signal("CONT");
        }
        caller.timeToWork(SOON);
    }

    @Test
    void connectionsThatAreClosedAsSoonAsTheyStandAreNotOpenedWithoutPause() throws Exception {
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore behind = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT)) {
            Caller unlucky = new Caller(behind, "unlucky", 1_000_000);
            unlucky.timeToWork(SOON);
            proxy.closeAfterFirstReply();
            int before = proxy.accepted();

            await().during(SECOND).until(() -> unlucky.decide() != null);

            assertThat(proxy.accepted() - before).isBetween(3, 30);
        }
    }

    private static long connections() {
        return REDIS.send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines().count();
    }
}
