package io.quarkiverse.ratelimit.runtime.redis;

import static io.quarkiverse.ratelimit.runtime.store.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.impl.ZModem;

/** A master that is lost is replaced by its replica; callers on other masters notice nothing. */
@Tag("slow")
class ClusterFailoverTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

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
        await().until(() -> clients(replica) == 1);
        try (RedisStore store = CLUSTER.newStore(CLUSTER.seeds(replica.address()), Duration.ofSeconds(5))) {
            Caller caller = callers(store, CLUSTER.masters().get(0)).get(0);

            assertThat(caller.isAllowed()).as("the replica redirects").isTrue();
            await().until(() -> clients(replica) == 1);
            assertThat(caller.failure()).isNull();
        }
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
                .filter(name -> CLUSTER.masterOf(ZModem.generate("test:{" + name + "}:one:l0")) == master).limit(10)
                .map(name -> new Caller(store, name, policy("one", Limit.tokenBucket(1).refill(1, Duration.ofDays(1)))))
                .toList();
    }
}
