package io.quarkiverse.ratelimit.runtime.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkiverse.ratelimit.runtime.redis.topology.ClusterSender;
import io.quarkiverse.ratelimit.runtime.redis.topology.RedisNodes;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;
import redis.embedded.RedisServer;

/** Runs a real cluster of three masters, each with this number of replicas, for one test class. */
public final class RealCluster implements BeforeAllCallback, AfterAllCallback {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16384;
    private static final int BUS = 10_000;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    public final Vertx vertx = Vertx.vertx();
    private final int replicas;
    private final List<RealNode> nodes = new ArrayList<>();

    /** @param replicas of each master */
    public RealCluster(int replicas) {
        this.replicas = replicas;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        for (int i = 0; i < MASTERS * (1 + replicas); i++) {
            nodes.add(start());
        }
        for (int i = 0; i < MASTERS; i++) {
            Request slots = Request.cmd(Command.CLUSTER).arg("ADDSLOTS");
            for (int slot = i; slot < SLOTS; slot += MASTERS) {
                slots.arg(slot);
            }
            RealRedis.await(nodes.get(i).client().send(slots));
        }
        for (RealNode node : nodes) {
            node.send(Command.CLUSTER, "MEET", "127.0.0.1", nodes.get(0).port());
        }
        await().atMost(LONGEST).until(() -> nodes.stream().allMatch(node -> info(node).contains("cluster_state:ok")
                && info(node).contains("cluster_known_nodes:" + nodes.size())));
        for (int i = MASTERS; i < nodes.size(); i++) {
            nodes.get(i).send(Command.CLUSTER, "REPLICATE", nodes.get(i % MASTERS).id());
        }
        for (RealNode replica : nodes.subList(MASTERS, nodes.size())) {
            await().atMost(LONGEST).until(() -> replica.replicates("master_link_status:up"));
        }
    }

    private static String info(RealNode node) {
        return node.send(Command.CLUSTER, "INFO").toString();
    }

    private RealNode start() throws IOException {
        int port = freePort();
        Path folder = Files.createTempDirectory("redis-cluster");
        RedisServer server = RealRedis.newServer().port(port).bind("127.0.0.1").setting("save \"\"")
                .setting("dir " + folder).setting("cluster-enabled yes").setting("cluster-node-timeout 1000")
                .setting("cluster-require-full-coverage no").setting("repl-diskless-sync yes")
                .setting("repl-diskless-sync-delay 0").build();
        return RealNode.start(vertx, "", port, server);
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        for (RealNode node : nodes) {
            node.process().stop();
        }
    }

    /** Stops the processes of all masters where they stand, or lets them go on. */
    public void signal(String name) throws Exception {
        for (RealNode master : masters()) {
            master.signal(name);
        }
    }

    /** Moves a slot from one master to the other with its keys, as {@code redis-cli --cluster reshard} does it. */
    static void move(int slot, RealNode from, RealNode to) {
        to.send(Command.CLUSTER, "SETSLOT", slot, "IMPORTING", from.id());
        from.send(Command.CLUSTER, "SETSLOT", slot, "MIGRATING", to.id());
        while (true) {
            Response keys = from.send(Command.CLUSTER, "GETKEYSINSLOT", slot, 10);
            if (keys.size() == 0) {
                break;
            }
            for (Response key : keys) {
                from.send(Command.MIGRATE, "127.0.0.1", to.port(), key, 0, 5000);
            }
        }
        for (RealNode node : List.of(to, from)) {
            node.send(Command.CLUSTER, "SETSLOT", slot, "NODE", to.id());
        }
    }

    List<RealNode> masters() {
        return nodes.subList(0, MASTERS);
    }

    List<RealNode> replicas() {
        return nodes.subList(MASTERS, nodes.size());
    }

    /** A caller's name whose keys lie on this slot. */
    public static String nameOn(int slot) {
        return Stream.generate(() -> Long.toHexString(ThreadLocalRandom.current().nextLong()))
                .filter(name -> ZModem.generate(name) == slot).findFirst().orElseThrow();
    }

    /** The master that had the slot at first. */
    RealNode masterOf(int slot) {
        return nodes.get(slot % MASTERS);
    }

    public RedisStore newStore(Duration timeout) {
        return newStore(seeds(), timeout);
    }

    RedisStore newStore(RedisNodes seeds, Duration timeout) {
        return ClusterSender.newStore(vertx, seeds, timeout,
                new DecideScript("test", Clock.systemUTC()));
    }

    RedisNodes seeds() {
        return seeds(nodes.get(0).address(), nodes.get(1).address());
    }

    RedisNodes seeds(String... addresses) {
        return seedsFor("", addresses);
    }

    /** @param user as {@code name:password@} */
    RedisNodes seedsFor(String user, String... addresses) {
        return RealNode.nodes(vertx, user, List.of(addresses));
    }

    /** A free port whose cluster bus is free too. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            try (ServerSocket own = new ServerSocket(port); ServerSocket bus = new ServerSocket(port + BUS)) {
                return port;
            } catch (IOException acquired) {
                // another one
            }
        }
    }
}
