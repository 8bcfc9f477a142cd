package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.redis.KeySlot;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.vertx.core.Context;
import io.vertx.redis.client.Command;

/** A master that is lost is replaced by its replica; callers on other masters notice nothing. */
@Tag("slow")
class ClusterSenderFailoverTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5), LATEST = Duration.ofMinutes(1);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(1);

    @Test
    void replicaTakesOverWithAllCounts() throws Exception {
        try (RedisStore store = CLUSTER.newStore(TIMEOUT); CapturedLog log = new CapturedLog()) {
            store.open().toCompletableFuture().join();
            RealNode lost = CLUSTER.masters().get(1);
            List<Caller> there = callers(store, lost);
            List<Caller> elsewhere = Stream.of(0, 2).flatMap(i -> callers(store, CLUSTER.masters().get(i)).stream()).toList();
            await().until(() -> Stream.concat(there.stream(), elsewhere.stream()).allMatch(caller -> caller.failure() == null));
            assertThat(lost.send(Command.WAIT, 1, 5000).toInteger()).isEqualTo(1);

            mayReplicasTakeOver(false);
            lost.process().stop();
            assertThat(elsewhere).allMatch(caller -> caller.failure() == null);
            await().until(() -> there.get(0).timeToFail().compareTo(Duration.ofSeconds(1)) < 0);
            assertThat(elsewhere).allMatch(caller -> caller.failure() == null);

            mayReplicasTakeOver(true);
            await().atMost(Duration.ofSeconds(20)).until(() -> there.stream().allMatch(caller -> caller.failure() == null));
            assertThat(there).as("used up before").noneMatch(Caller::isAllowed);
            assertThat(log.warnings()).as("one for each outage").isEqualTo(1);
        }
    }

    @Test
    void nodesThatAreNoMastersKeepNoConnection() {
        RealNode replica = CLUSTER.replicas().get(2);
        await().atMost(LATEST).until(() -> clients(replica) == 1);
        try (RedisStore store = CLUSTER.newStore(CLUSTER.seeds(replica.address()), Duration.ofSeconds(5))) {
            Caller caller = callers(store, CLUSTER.masters().get(0)).get(0);

            assertThat(caller.isAllowed()).as("the replica redirects").isTrue();
            await().atMost(LATEST).until(() -> clients(replica) == 1);
            assertThat(caller.failure()).isNull();
        }
    }

    @Test
    void masterThatReturnsHasOneOutage() throws Exception {
        RealNode master = CLUSTER.masters().get(0);
        RealNode replica = CLUSTER.replicas().get(0);
        Context busy = CLUSTER.vertx.getOrCreateContext();
        Context idle = CLUSTER.vertx.getOrCreateContext();
        try (RedisStore store = CLUSTER.newStore(Duration.ofSeconds(2)); CapturedLog log = new CapturedLog()) {
            store.open().toCompletableFuture().join();
            Caller caller = callers(store, master).get(0);
            assertThat(failure(busy, caller)).isNull();
            assertThat(failure(idle, caller)).isNull();

            long connections = clients(master);
            takeOver(replica);
            await().until(() -> failure(busy, caller) == null && clients(master) < connections);
            takeOver(master);
            await().until(() -> failure(busy, caller) == null && clients(replica) == 1);
            mayReplicasTakeOver(false);
            master.process().stop();
            await().until(() -> failure(busy, caller) != null && failure(idle, caller) != null);

            assertThat(log.warnings()).isEqualTo(1);
            assertThat(store.health().unavailable()).singleElement().returns(master.address(), UnavailableNode::address);

            master.process().start();
            await().until(() -> failure(busy, caller) == null && failure(idle, caller) == null
                    && store.health().unavailable().isEmpty());
            assertThat(log.messages("decides rate limits again")).hasSize(1);
        } finally {
            mayReplicasTakeOver(true);
        }
    }

    private static void takeOver(RealNode replica) {
        replica.send(Command.CLUSTER, "FAILOVER");
        await().until(() -> replica.replicates("role:master"));
    }

    /** Why Redis does not decide the call on this event loop, or {@code null} when it does. */
    private static Throwable failure(Context loop, Caller caller) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        loop.runOnContext(ignored -> caller.decide().whenComplete((reply, failed) -> failure.complete(failed)));
        return failure.orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static void mayReplicasTakeOver(boolean may) {
        CLUSTER.replicas().forEach(replica -> replica.send(Command.CONFIG, "SET", "cluster-replica-no-failover",
                may ? "no" : "yes"));
    }

    /** Of which one is the test's own. */
    private static long clients(RealNode node) {
        return node.send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines().count();
    }

    /** Callers of one permit, whose keys lie on this master. */
    private static List<Caller> callers(RedisStore store, RealNode master) {
        return Stream.generate(() -> UUID.randomUUID().toString())
                .filter(name -> CLUSTER.masterOf(KeySlot.of("test:{" + name + "}:one:l0:tb1")) == master).limit(10)
                .map(name -> new Caller(store, name, policy("one", Limit.tokenBucket(1).refill(1, Duration.ofDays(1)))))
                .toList();
    }
}
