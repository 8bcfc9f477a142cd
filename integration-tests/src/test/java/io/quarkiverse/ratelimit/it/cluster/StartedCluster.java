package io.quarkiverse.ratelimit.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisServer;

/** Starts a cluster of three masters with a password. */
public class StartedCluster implements QuarkusTestResourceLifecycleManager {

    private static final int MASTERS = 3;
    private static final int SLOTS = 16384;
    private static final int BUS = 10_000;
    private static final String PASSWORD = "p%40ss";

    private final List<RedisServer> servers = new ArrayList<>();

    @Override
    public Map<String, String> start() {
        Vertx vertx = Vertx.vertx();
        try {
            List<Redis> nodes = Stream.generate(() -> Redis.createClient(vertx, address(startNode()))).limit(MASTERS).toList();
            for (int i = 0; i < MASTERS; i++) {
                int first = i;
                send(nodes.get(i), Command.CLUSTER, Stream.concat(Stream.of("ADDSLOTS"),
                        IntStream.range(0, SLOTS).filter(slot -> slot % MASTERS == first).mapToObj(String::valueOf)));
                send(nodes.get(i), Command.CLUSTER, Stream.of("MEET", "127.0.0.1", "" + servers.get(0).ports().get(0)));
            }
            while (!nodes.stream().allMatch(StartedCluster::isReady)) {
                Thread.onSpinWait();
            }
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
        return Map.of("quarkus.redis.hosts", address(servers.get(0).ports().get(0)));
    }

    private static boolean isReady(Redis node) {
        List<String> info = Arrays.asList(send(node, Command.CLUSTER, Stream.of("INFO")).toString().split("\r\n"));
        return info.contains("cluster_state:ok") && info.contains("cluster_size:" + MASTERS);
    }

    private static Response send(Redis node, Command command, Stream<String> arguments) {
        Request request = Request.cmd(command);
        arguments.forEach(request::arg);
        return node.send(request).toCompletionStage().toCompletableFuture().join();
    }

    private static String address(int port) {
        return "redis://:" + PASSWORD + "@127.0.0.1:" + port;
    }

    private int startNode() {
        try {
            RedisServer server = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"")
                    .setting("requirepass p@ss").setting("masterauth p@ss").setting("cluster-enabled yes")
                    .setting("dir " + Files.createTempDirectory("redis-cluster")).build();
            server.start();
            servers.add(server);
            return server.ports().get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void stop() {
        for (RedisServer server : servers) {
            try {
                server.stop();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
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
