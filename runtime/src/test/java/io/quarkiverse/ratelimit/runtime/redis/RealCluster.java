package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;
import redis.embedded.RedisServer;

/** Runs a real cluster of three masters, each with so many replicas, for one test class. */
public final class RealCluster implements BeforeAllCallback, AfterAllCallback {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16384;
    private static final int BUS = 10_000;
    private static final Duration LONGEST = Duration.ofSeconds(30);

    public final Vertx vertx = Vertx.vertx();
    private final int replicas;
    private final List<Node> nodes = new ArrayList<>();

    /** @param replicas of each master */
    public RealCluster(int replicas) {
        this.replicas = replicas;
    }

    /** One of the servers. */
    record Node(int port, RedisServer server, Redis client, AtomicReference<String> pid) {

        String address() {
            return "127.0.0.1:" + port;
        }

        Response send(Command command, Object... arguments) {
            Request request = Request.cmd(command);
            for (Object argument : arguments) {
                request.arg(String.valueOf(argument));
            }
            return RealRedis.await(client.send(request));
        }

        String id() {
            return send(Command.CLUSTER, "MYID").toString();
        }

        /** Stops the process where it stands, or lets it go on. */
        void signal(String name) throws Exception {
            if (name.equals("STOP")) {
                pid.set(send(Command.INFO, "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1"));
            }
            assertThat(new ProcessBuilder("kill", "-" + name, pid.get()).start().waitFor()).isZero();
        }
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
        for (Node node : nodes) {
            node.send(Command.CLUSTER, "MEET", "127.0.0.1", nodes.get(0).port());
        }
        await().atMost(LONGEST).until(() -> nodes.stream().allMatch(node -> info(node).contains("cluster_state:ok")
                && info(node).contains("cluster_known_nodes:" + nodes.size())));
        for (int i = MASTERS; i < nodes.size(); i++) {
            nodes.get(i).send(Command.CLUSTER, "REPLICATE", nodes.get(i % MASTERS).id());
        }
        for (Node replica : nodes.subList(MASTERS, nodes.size())) {
            await().atMost(LONGEST).until(() -> replica.send(Command.INFO, "replication").toString()
                    .contains("master_link_status:up"));
        }
    }

    private static String info(Node node) {
        return node.send(Command.CLUSTER, "INFO").toString();
    }

    private Node start() throws IOException {
        int port = freePort();
        Path folder = Files.createTempDirectory("redis-cluster");
        RedisServer server = RealRedis.newServer().port(port).bind("127.0.0.1").setting("save \"\"")
                .setting("dir " + folder).setting("cluster-enabled yes").setting("cluster-node-timeout 1000")
                .setting("cluster-require-full-coverage no").setting("repl-diskless-sync yes")
                .setting("repl-diskless-sync-delay 0").build();
        server.start();
        return new Node(port, server, Redis.createClient(vertx, "redis://127.0.0.1:" + port), new AtomicReference<>());
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        for (Node node : nodes) {
            node.server().stop();
        }
    }

    /** Stops the processes of all masters where they stand, or lets them go on. */
    public void signal(String name) throws Exception {
        for (Node master : masters()) {
            master.signal(name);
        }
    }

    /** Moves a slot from one master to the other with its keys, as {@code redis-cli --cluster reshard} does it. */
    static void move(int slot, Node from, Node to) {
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
        for (Node node : List.of(to, from)) {
            node.send(Command.CLUSTER, "SETSLOT", slot, "NODE", to.id());
        }
    }

    List<Node> masters() {
        return nodes.subList(0, MASTERS);
    }

    List<Node> replicas() {
        return nodes.subList(MASTERS, nodes.size());
    }

    /** A caller's name whose keys lie on this slot. */
    public static String nameOn(int slot) {
        return Stream.generate(() -> Long.toHexString(ThreadLocalRandom.current().nextLong()))
                .filter(name -> ZModem.generate(name) == slot).findFirst().orElseThrow();
    }

    /** The master that had the slot at first. */
    Node masterOf(int slot) {
        return nodes.get(slot % MASTERS);
    }

    public RedisStore newStore(Duration timeout) {
        return newStore(seeds(), timeout);
    }

    RedisStore newStore(RedisNodes seeds, Duration timeout) {
        return new RedisStore(vertx, seeds, "test", timeout, new LimiterClock(), Clock.systemUTC());
    }

    RedisNodes seeds() {
        return seeds(nodes.get(0).address(), nodes.get(1).address());
    }

    RedisNodes seeds(String... addresses) {
        return seedsFor("", addresses);
    }

    /** @param user as {@code name:password@} */
    RedisNodes seedsFor(String user, String... addresses) {
        return new RedisNodes() {

            @Override
            public List<String> seeds() {
                return List.of(addresses);
            }

            @Override
            public Redis client(String address) {
                return Redis.createClient(vertx, "redis://" + user + address);
            }
        };
    }

    /** A free port whose cluster bus is free too. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            try (ServerSocket own = new ServerSocket(port); ServerSocket bus = new ServerSocket(port + BUS)) {
                return port;
            } catch (IOException taken) {
                // another one
            }
        }
    }
}
