package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.vertx.redis.client.Command;

/** A part of a cluster that is unavailable costs its own callers one time-out, and nobody else anything. */
@Tag("slow")
class ClusterSenderOutageTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final RealNode lost = CLUSTER.masters().get(1);
    private RedisStore store;
    private List<Caller> callers;
    private CapturedLog log;

    @BeforeEach
    void open() {
        store = CLUSTER.newStore(TIMEOUT);
        // a request on another event loop costs a timeout of its own
        store.open().toCompletableFuture().join();
        callers = IntStream.range(0, 3).mapToObj(slot -> new Caller(store, RealCluster.nameOn(slot), 1_000_000)).toList();
        callers.forEach(caller -> caller.timeToWork(Duration.ofSeconds(10)));
        log = new CapturedLog();
    }

    @AfterEach
    void close() {
        store.close();
        log.close();
    }

    /** The first call may have used the connection of another event loop. */
    private static void awaitFailureAtOnce(Caller caller) {
        await().atMost(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);
    }

    @Test
    void masterThatHangsCostsOneTimeoutWhileOthersDecide() throws Exception {
        lost.signal("STOP");
        try {
            assertThat(callers.get(1).timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
            awaitFailureAtOnce(callers.get(1));
            for (int call = 0; call < 200; call++) {
                assertThat(callers.get(1).timeToFail()).isLessThan(TIMEOUT);
                assertThat(callers.get(0).failure()).isNull();
                assertThat(callers.get(2).failure()).isNull();
            }
        } finally {
            lost.signal("CONT");
        }

        assertThat(callers.get(1).timeToWork(Duration.ofSeconds(5))).isLessThan(SECOND);
        assertThat(log.warnings()).isEqualTo(1);
        await().until(() -> callers.get(1).failure() == null && log.infos() == 1);
    }

    @Test
    void allMastersThatHangAreUsedAgainWithinASecond() throws Exception {
        CLUSTER.signal("STOP");
        try {
            callers.forEach(caller -> assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN)));
            callers.forEach(ClusterSenderOutageTest::awaitFailureAtOnce);
        } finally {
            CLUSTER.signal("CONT");
        }

        callers.forEach(caller -> assertThat(caller.timeToWork(Duration.ofSeconds(5))).isLessThan(SECOND));
        assertThat(log.warnings()).as("one for each node").isEqualTo(3);
    }

    @Test
    void masterThatIsStartedAgainIsUsedAgain() throws Exception {
        lost.process().stop();
        await().until(() -> callers.get(1).timeToFail().compareTo(TIMEOUT) < 0);
        assertThat(callers.get(0).failure()).isNull();
        assertThat(store.health()).returns(true, RedisHealth::hasConnected).returns(3, RedisHealth::nodes);
        assertThat(store.health().unavailable()).singleElement().returns(lost.address(), UnavailableNode::address);

        lost.process().start();
        callers.get(1).timeToWork(Duration.ofSeconds(10));
        assertThat(log.warnings()).isEqualTo(1);
        await().until(() -> callers.get(1).failure() == null && store.health().unavailable().isEmpty());
    }

    @Test
    void slotsWithoutMasterFailAtOnceAndNoOthers() {
        lost.send(Command.CLUSTER, "DELSLOTS", 1);
        try {
            assertThat(callers.get(1).timeToFail()).isLessThan(TIMEOUT);
            assertThat(callers.get(1).failure()).hasMessageContaining("CLUSTERDOWN");
            for (Caller other : List.of(callers.get(0), callers.get(2), new Caller(store, RealCluster.nameOn(4), 10))) {
                assertThat(other.failure()).isNull();
            }
        } finally {
            lost.send(Command.CLUSTER, "ADDSLOTS", 1);
        }

        assertThat(callers.get(1).timeToWork(Duration.ofSeconds(5))).isLessThan(SECOND);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void clusterThatIsDownFailsAtOnce() {
        CLUSTER.masters().forEach(master -> master.send(Command.CONFIG, "SET", "cluster-require-full-coverage", "yes"));
        lost.send(Command.CLUSTER, "DELSLOTS", 1);
        try {
            await().until(() -> callers.get(1).failure() != null);
            assertThat(callers.get(1).timeToFail()).isLessThan(TIMEOUT);
        } finally {
            lost.send(Command.CLUSTER, "ADDSLOTS", 1);
            CLUSTER.masters().forEach(master -> master.send(Command.CONFIG, "SET", "cluster-require-full-coverage", "no"));
        }

        callers.forEach(caller -> caller.timeToWork(Duration.ofSeconds(5)));
    }

    @Test
    void clusterOfWhichOnlyTheSlotsAreKnownIsNotConnected() {
        AtomicBoolean reachable = new AtomicBoolean();
        String known = CLUSTER.masters().get(0).address();
        RedisNodes knowing = new RedisNodes(() -> List.of(RealNode.uri("seed:1")), node -> CLUSTER.seeds().client(
                node.getHost().equals("seed") ? known : reachable.get() ? node.getAuthority() : "127.0.0.1:1"));
        try (RedisStore other = CLUSTER.newStore(knowing, TIMEOUT)) {
            other.open().toCompletableFuture().join();
            assertThat(Stream.generate(() -> other.open().toCompletableFuture().isDone()).limit(100)).containsOnly(true);
            await().untilAsserted(() -> assertThat(other.health()).returns(false, RedisHealth::hasConnected)
                    .satisfies(health -> assertThat(health.unavailable()).isNotEmpty()));

            reachable.set(true);
            Caller caller = new Caller(other, RealCluster.nameOn(0), 1_000_000);
            await().until(() -> caller.failure() == null && other.health().hasConnected());
        }
    }

    @Test
    void clusterThatIsUnavailableAtFirstIsConnectedLater() {
        AtomicReference<String> instead = new AtomicReference<>("127.0.0.1:1");
        RedisNodes nodes = CLUSTER.seeds();
        RedisNodes late = new RedisNodes(nodes.configured(),
                node -> nodes.client(instead.get() == null ? node.getAuthority() : instead.get()));
        try (RedisStore other = CLUSTER.newStore(late, TIMEOUT)) {
            Caller caller = new Caller(other, RealCluster.nameOn(0), 1_000_000);
            assertThat(caller.failure()).isNotNull();

            instead.set(null);
            await().until(() -> caller.failure() == null && other.health().hasConnected());
        }
    }

    @Test
    void deadSeedsAreNotNeeded() {
        try (RedisStore other = CLUSTER.newStore(CLUSTER.seeds("127.0.0.1:1", "127.0.0.1:2", lost.address()),
                Duration.ofSeconds(5))) {
            other.open().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();

            for (int slot = 0; slot < 3; slot++) {
                assertThat(new Caller(other, RealCluster.nameOn(slot), 10).failure()).isNull();
            }
            assertThat(log.warnings()).isZero();
        }
    }
}
