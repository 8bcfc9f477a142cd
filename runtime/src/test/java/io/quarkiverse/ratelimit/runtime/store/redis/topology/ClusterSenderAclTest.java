package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.vertx.redis.client.Command;

/** What the limiter's user needs in a cluster is what is documented, and no more. */
@Tag("slow")
class ClusterSenderAclTest {

    private static final int MOVING = 9;

    /** As docs/modules/ROOT/pages/reference/configuration.adoc lists them. */
    private static final List<String> NEEDED = List.of("+evalsha", "+eval", "+time", "+get", "+set", "+cluster|slots",
            "+asking");

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final RealNode from = CLUSTER.masterOf(MOVING);
    private final RealNode to = CLUSTER.masterOf(MOVING + 1);

    @BeforeEach
    void moveSlot() {
        to.send(Command.CLUSTER, "SETSLOT", MOVING, "IMPORTING", from.id());
        from.send(Command.CLUSTER, "SETSLOT", MOVING, "MIGRATING", to.id());
    }

    @AfterEach
    void leaveSlot() {
        to.send(Command.CLUSTER, "SETSLOT", MOVING, "STABLE");
        from.send(Command.CLUSTER, "SETSLOT", MOVING, "STABLE");
    }

    @Test
    void theDocumentedCommandsAreEnough() {
        try (RedisStore store = storeOf("enough", NEEDED)) {
            assertThat(decides(store, MOVING)).isTrue();
            assertThat(decides(store, MOVING + 1)).isTrue();
        }
    }

    @Test
    void requestsToASlotThatMovesNeedAsking() {
        try (RedisStore store = storeOf("without-asking", without("+asking"))) {
            assertThat(decides(store, MOVING)).isFalse();
            assertThat(decides(store, MOVING + 1)).isTrue();
        }
    }

    @Test
    void userWhoMayNotReadTheSlotsDependsOnTheFirstNode() {
        try (RedisStore store = storeOf("without-slots", without("+cluster|slots"), "127.0.0.1:1", from.address())) {
            assertThat(decides(store, MOVING + 1)).isFalse();
        }
        try (RedisStore store = storeOf("with-slots", NEEDED, "127.0.0.1:1", from.address())) {
            assertThat(decides(store, MOVING + 1)).isTrue();
        }
    }

    private static List<String> without(String command) {
        List<String> fewer = new ArrayList<>(NEEDED);
        assertThat(fewer.remove(command)).isTrue();
        return fewer;
    }

    private static boolean decides(RedisStore store, int slot) {
        Caller caller = new Caller(store, RealCluster.nameOn(slot), 10);
        return caller.isAllowed() && caller.isAllowed();
    }

    private static RedisStore storeOf(String user, List<String> commands) {
        return storeOf(user, commands, CLUSTER.masters().get(0).address());
    }

    private static RedisStore storeOf(String user, List<String> commands, String... seeds) {
        List<Object> rules = new ArrayList<>(List.of("SETUSER", user, "on", ">secret", "~test:*"));
        rules.addAll(commands);
        for (RealNode master : CLUSTER.masters()) {
            master.send(Command.ACL, rules.toArray());
            master.send(Command.SCRIPT, "FLUSH");
        }
        RedisStore store = CLUSTER.newStore(CLUSTER.seedsFor(user + ":secret@", seeds), Duration.ofSeconds(2));
        store.open().toCompletableFuture().join();
        return store;
    }
}
