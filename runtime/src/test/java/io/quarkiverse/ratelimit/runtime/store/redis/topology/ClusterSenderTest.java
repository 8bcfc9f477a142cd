package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.redis.KeySlot;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.vertx.redis.client.Command;

/** Callers whose keys lie on other masters are counted exactly, also while slots move and masters change. */
class ClusterSenderTest {

    private static final int PERMITS = 50;

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private RedisStore store;

    @BeforeEach
    void open() {
        store = CLUSTER.newStore(Duration.ofSeconds(10));
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void callersOnAllMastersAreCountedExactly() {
        List<Caller> callers = IntStream.range(0, 60).mapToObj(i -> caller(UUID.randomUUID().toString())).toList();

        for (Caller caller : callers) {
            assertThat(allowed(caller, PERMITS + 10)).isEqualTo(PERMITS);
        }
        assertThat(CLUSTER.masters()).allSatisfy(
                master -> assertThat(master.send(Command.DBSIZE).toInteger()).isPositive());
    }

    @Test
    void manyCallersAtTheSameTimeAreCountedExactly() {
        List<Caller> callers = IntStream.range(0, 60).mapToObj(i -> caller(UUID.randomUUID().toString())).toList();
        List<CompletableFuture<StoreReply>> replies = new ArrayList<>();
        for (int call = 0; call < PERMITS + 10; call++) {
            callers.forEach(caller -> replies.add(caller.decide()));
        }

        long allowed = IntStream.range(0, replies.size())
                .filter(i -> callers.get(i % callers.size()).isAllowed(replies.get(i))).count();
        assertThat(allowed).isEqualTo((long) callers.size() * PERMITS);
    }

    @Test
    void slotThatMovesIsFollowedAndNothingIsLostOrCountedTwice() {
        String name = UUID.randomUUID().toString();
        int slot = KeySlot.of("test:{" + name + "}:fifty:l0:tb1");
        RealNode from = CLUSTER.masterOf(slot);
        RealNode to = CLUSTER.masters().get((slot + 1) % 3);
        Caller caller = caller(name);
        assertThat(allowed(caller, 10)).isEqualTo(10);

        to.send(Command.CLUSTER, "SETSLOT", slot, "IMPORTING", from.id());
        from.send(Command.CLUSTER, "SETSLOT", slot, "MIGRATING", to.id());
        assertThat(allowed(caller, 10)).as("the key is still there").isEqualTo(10);
        from.send(Command.MIGRATE, "127.0.0.1", to.port(), "test:{" + name + "}:fifty:l0:tb1", 0, 5000);
        assertThat(allowed(caller, 10)).as("the key is on the node of its slot").isEqualTo(10);
        for (RealNode node : List.of(to, from)) {
            node.send(Command.CLUSTER, "SETSLOT", slot, "NODE", to.id());
        }
        assertThat(allowed(caller, 10)).as("the slot has moved").isEqualTo(10);

        assertThat(allowed(caller, 20)).isEqualTo(10);
    }

    @Test
    void newCallersOfASlotThatMovesAreCountedOnce() {
        String name = UUID.randomUUID().toString();
        int slot = KeySlot.of("test:{" + name + "}:fifty:l0:tb1");
        RealNode from = CLUSTER.masterOf(slot);
        RealNode to = CLUSTER.masters().get((slot + 1) % 3);
        to.send(Command.CLUSTER, "SETSLOT", slot, "IMPORTING", from.id());
        from.send(Command.CLUSTER, "SETSLOT", slot, "MIGRATING", to.id());

        assertThat(allowed(caller(name), PERMITS + 10)).isEqualTo(PERMITS);
        for (RealNode node : List.of(to, from)) {
            node.send(Command.CLUSTER, "SETSLOT", slot, "NODE", to.id());
        }
        assertThat(allowed(caller(name), 10)).isZero();
    }

    @Test
    void lostScriptsAreLoadedAgainEverywhere() {
        Caller one = caller(UUID.randomUUID().toString());
        assertThat(allowed(one, 10)).isEqualTo(10);

        CLUSTER.masters().forEach(master -> master.send(Command.SCRIPT, "FLUSH"));

        assertThat(allowed(one, PERMITS)).isEqualTo(PERMITS - 10);
    }

    @Test
    void overridesAreKeptInACluster() {
        RedisOverrides overrides = new RedisOverrides(store, "test");

        overrides.put("policy", "text", Duration.ofHours(1)).await().atMost(Duration.ofSeconds(5));

        assertThat(overrides.changedSince("", 0).await().atMost(Duration.ofSeconds(5)).texts()).containsOnlyKeys("policy");
        overrides.remove("policy").await().atMost(Duration.ofSeconds(5));
    }

    private Caller caller(String name) {
        return new Caller(store, name, policy("fifty", Limit.tokenBucket(PERMITS).refill(1, Duration.ofDays(1))));
    }

    /** How many of these calls are allowed; none may fail. */
    private static long allowed(Caller caller, int calls) {
        List<CompletableFuture<StoreReply>> replies = IntStream.range(0, calls).mapToObj(i -> caller.decide()).toList();
        replies.forEach(reply -> assertThat(reply).succeedsWithin(Duration.ofSeconds(10)));
        return replies.stream().filter(caller::isAllowed).count();
    }
}
