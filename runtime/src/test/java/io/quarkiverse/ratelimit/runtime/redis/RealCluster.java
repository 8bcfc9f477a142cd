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

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
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
    record Node(int port, RedisServer server, Redis client) {

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
        RedisServer server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"")
                .setting("dir " + folder).setting("cluster-enabled yes").setting("cluster-node-timeout 1000")
                .setting("cluster-require-full-coverage no").setting("repl-diskless-sync yes")
                .setting("repl-diskless-sync-delay 0").build();
        server.start();
        return new Node(port, server, Redis.createClient(vertx, "redis://127.0.0.1:" + port));
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        for (Node node : nodes) {
            node.server().stop();
        }
    }

    List<Node> masters() {
        return nodes.subList(0, MASTERS);
    }

    /** The master that had the slot at first. */
    Node masterOf(int slot) {
        return nodes.get(slot % MASTERS);
    }

    public RedisStore newStore(Duration timeout) {
        return new RedisStore(vertx, seeds(), "test", timeout, new LimiterClock(), Clock.systemUTC());
    }

    ClusterNodes seeds() {
        return new ClusterNodes() {

            @Override
            public List<String> seeds() {
                return List.of(nodes.get(0).address(), nodes.get(1).address());
            }

            @Override
            public Redis client(String address) {
                return Redis.createClient(vertx, "redis://" + address);
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
