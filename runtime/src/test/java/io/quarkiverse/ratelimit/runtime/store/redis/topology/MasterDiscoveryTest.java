package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealSentinels;
import io.vertx.redis.client.Command;

/** The limiter finds the master through any sentinel or replica, and keeps connections to the master only. */
class MasterDiscoveryTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** As docs/modules/ROOT/pages/reference/configuration.adoc lists them. */
    private static final List<String> NEEDED = List.of("+evalsha", "+eval", "+time", "+get", "+set");
    private static final String NEEDED_OF_SENTINEL = "+sentinel|get-master-addr-by-name";

    @RegisterExtension
    static final RealSentinels SENTINELS = new RealSentinels(1);

    private final RealNode master = SENTINELS.servers.get(0);
    private final RealNode replica = SENTINELS.servers.get(1);
    private final RealNode sentinel = SENTINELS.sentinels.get(0);
    private final CapturedLog log = new CapturedLog();

    @BeforeEach
    void awaitReplica() {
        await().atMost(Duration.ofSeconds(20)).until(() -> replica.replicates("master_link_status:up"));
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void onlyTheMasterKeepsConnections() {
        long[] before = await().until(this::clients, clients -> LongStream.of(clients).allMatch(ofTheTest -> ofTheTest == 1));
        try (RedisStore store = SENTINELS.newStore(TIMEOUT)) {
            Caller caller = new Caller(store, "connections", 1_000_000);
            store.open();
            await().during(Duration.ofSeconds(1)).until(() -> caller.failure() == null);

            await().untilAsserted(() -> assertThat(clients()).startsWith(before[0] + 2).endsWith(before[1], before[2]));
        }
        await().untilAsserted(() -> assertThat(clients()).isEqualTo(before));
    }

    private long[] clients() {
        return Stream.of(master, replica, sentinel).mapToLong(RealSentinels::clients).toArray();
    }

    @Test
    void unavailableSentinelsAreNotNeeded() throws Exception {
        sentinel.signal("STOP");
        try (RedisStore store = SENTINELS.newStore(bySentinels(RealSentinels.MASTER_NAME, "127.0.0.1:1",
                sentinel.address(), SENTINELS.sentinels.get(1).address()), TIMEOUT)) {
            assertThat(new Caller(store, "hanging", 1).failure()).isNull();
            assertThat(log.warnings()).isZero();
        } finally {
            sentinel.signal("CONT");
        }
    }

    @Test
    void replicaThatSentinelsStillNameIsNotUsed() {
        RedisNodes onlyReplica = new RedisNodes(() -> List.of(RealNode.uri(replica.address())),
                node -> SENTINELS.client(replica.address()));
        try (RedisStore store = SENTINELS.newStore(MasterDiscovery.amongReplicas(onlyReplica), TIMEOUT)) {
            assertThat(new Caller(store, "replica", 1).failure()).isNotNull();
            await().until(() -> log.warnings() == 1);
            assertThat(log.last()).contains("Redis at " + master.address() + " is unavailable or not a master");
        }
    }

    @Test
    void masterIsFoundAmongItsReplicas() {
        for (List<String> seeds : List.of(List.of(replica.address()), List.of("127.0.0.1:1", master.address()))) {
            try (RedisStore store = SENTINELS.newStore(MasterDiscovery.amongReplicas(SENTINELS.nodes(seeds)), TIMEOUT)) {
                assertThat(new Caller(store, "replicas", 10).failure()).isNull();
            }
        }
    }

    @Test
    void masterThatNoSentinelKnowsIsReported() {
        try (RedisStore store = SENTINELS.newStore(bySentinels("typo", sentinel.address()), TIMEOUT)) {
            store.open();

            await().until(() -> log.warnings() == 1);
            assertThat(log.last()).contains("The sentinel at " + sentinel.address() + " has no master of the name typo");
        }
    }

    @Test
    void theDocumentedCommandsAreEnough() {
        assertThat(works("enough", NEEDED, NEEDED_OF_SENTINEL)).isTrue();
    }

    @Test
    void noneOfThemCanBeLeftOut() {
        assertThat(works("no-sentinel", NEEDED, "+ping")).isFalse();
    }

    @Test
    void replicasAreFoundByTheirRole() {
        List<String> withRole = new ArrayList<>(NEEDED);
        withRole.add("+role");
        assertThat(worksAmongReplicas("role", withRole)).isTrue();
        assertThat(worksAmongReplicas("no-role", NEEDED)).isFalse();
        assertThat(log.last()).contains("NOPERM").contains("role");
    }

    private boolean worksAmongReplicas(String user, List<String> commands) {
        allow(user, commands);
        RedisNodes nodes = SENTINELS.nodes(List.of(master.address()), user + ":secret@");
        try (RedisStore store = SENTINELS.newStore(MasterDiscovery.amongReplicas(nodes), TIMEOUT)) {
            boolean allowed = new Caller(store, user, 10).isAllowed();
            // the call may have its timeout before the commands are refused
            await().until(() -> allowed || log.warnings() > 0);
            return allowed;
        }
    }

    private void allow(String user, List<String> commands) {
        List<Object> rules = new ArrayList<>(List.of("SETUSER", user, "on", ">secret", "~test:*"));
        rules.addAll(commands);
        master.send(Command.ACL, rules.toArray());
    }

    private boolean works(String user, List<String> commands, String commandOfSentinel) {
        allow(user, commands);
        sentinel.send(Command.ACL, "SETUSER", user, "on", ">secret", commandOfSentinel);
        RedisNodes nodes = SENTINELS.nodes(List.of(sentinel.address()), user + ":secret@");
        try (RedisStore store = SENTINELS.newStore(MasterDiscovery.bySentinels(nodes, RealSentinels.MASTER_NAME), TIMEOUT)) {
            return new Caller(store, user, 10).isAllowed();
        }
    }

    private static MasterDiscovery bySentinels(String name, String... addresses) {
        return MasterDiscovery.bySentinels(SENTINELS.nodes(List.of(addresses)), name);
    }
}
