package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealSentinels;
import io.vertx.core.Context;
import io.vertx.core.VertxOptions;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Command;

/** A master that sentinels replace is followed within a second, by all event loops. */
@Tag("slow")
class MasterDiscoveryFailoverTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealSentinels SENTINELS = new RealSentinels(3);
    private RealNode master;
    private RedisStore store;
    private Caller caller;
    private Caller usedUp;
    private CapturedLog log;

    @BeforeEach
    void open() {
        SENTINELS.awaitReplicas();
        master = SENTINELS.master();
        store = SENTINELS.newStore(TIMEOUT);
        store.open().toCompletableFuture().join();
        caller = new Caller(store, "caller", 1_000_000);
        caller.timeToWork(Duration.ofSeconds(10));
        usedUp = new Caller(store, "used-up-" + master.port(), 1);
        assertThat(usedUp.isAllowed()).isTrue();
        assertThat(master.send(Command.WAIT, 1, 5_000).toInteger()).isPositive();
        log = new CapturedLog();
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        log.close();
        SENTINELS.remove(master);
    }

    @Test
    void failoverOnDemandIsFollowed() {
        SENTINELS.sentinels.get(2).send(Command.SENTINEL, "FAILOVER", RealSentinels.MASTER_NAME);
        RealNode promoted = promotedWhileCalling();

        await().pollInterval(Duration.ofMillis(20)).until(() -> isCountedBy(promoted));
        assertThat(usedUp.failure()).isNull();
        assertThat(usedUp.isAllowed()).isFalse();
        assertThat(log.warnings()).isLessThanOrEqualTo(1);
    }

    @Test
    void killedMasterIsReplacedByOneWithoutTheScript() throws Exception {
        SENTINELS.servers.stream().filter(server -> server != master).forEach(server -> {
            server.send(Command.SCRIPT, "FLUSH");
            server.send(Command.CONFIG, "RESETSTAT");
        });
        master.process().stop();

        RealNode promoted = promotedWhileCalling();

        assertThat(caller.timeToWork(Duration.ofSeconds(5))).isLessThan(SECOND.plus(MARGIN));
        assertThat(usedUp.isAllowed()).isFalse();
        assertThat(promoted.send(Command.INFO, "commandstats").toString()).contains("cmdstat_eval:");
        assertThat(log.warnings()).isEqualTo(1);
        await().until(() -> log.infos() == 1);
    }

    @Test
    void masterThatHangsIsLeftForGoodByAllLoops() throws Exception {
        List<Context> loops = Stream.generate(((VertxInternal) SENTINELS.vertx)::createEventLoopContext).limit(16)
                .map(Context.class::cast).toList();
        await().until(() -> loops.stream().allMatch(loop -> on(loop, caller) == null)
                && RealSentinels.clients(master) > VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE);
        master.signal("STOP");
        RealNode promoted;
        try {
            promoted = promotedWhileCalling();
            assertThat(caller.timeToWork(Duration.ofSeconds(5))).isLessThan(SECOND.plus(MARGIN));
        } finally {
            master.signal("CONT");
        }

        assertThat(loops).allMatch(loop -> isCountedBy(promoted, latecomer -> on(loop, latecomer)));
        assertThat(log.warnings()).isEqualTo(1);
    }

    /** The new master, during whose promotion no call waits for longer than its timeout. */
    private RealNode promotedWhileCalling() {
        CompletableFuture<RealNode> promoted = CompletableFuture.supplyAsync(() -> SENTINELS.awaitMasterOtherThan(master));
        while (!promoted.isDone()) {
            assertThat(caller.decide().handle((reply, failure) -> reply)).succeedsWithin(TIMEOUT.plus(SECOND.multipliedBy(2)));
        }
        return promoted.orTimeout(1, TimeUnit.SECONDS).join();
    }

    private boolean isCountedBy(RealNode server) {
        return isCountedBy(server, Caller::failure);
    }

    /** Whether a new caller is counted there. */
    private boolean isCountedBy(RealNode server, Function<Caller, Throwable> call) {
        String name = UUID.randomUUID().toString();
        return call.apply(new Caller(store, name, 1)) == null
                && server.send(Command.EXISTS, "test:{" + name + "}:plenty:l0:tb1").toInteger() == 1;
    }

    private static Throwable on(Context loop, Caller caller) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        loop.runOnContext(ignored -> caller.decide().whenComplete((reply, thrown) -> failure.complete(thrown)));
        return failure.orTimeout(10, TimeUnit.SECONDS).join();
    }
}
