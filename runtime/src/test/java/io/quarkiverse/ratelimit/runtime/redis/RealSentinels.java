package io.quarkiverse.ratelimit.runtime.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkiverse.ratelimit.runtime.redis.topology.MasterDiscovery;
import io.quarkiverse.ratelimit.runtime.redis.topology.RedisNodes;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import redis.embedded.RedisSentinel;

/** Runs a real master with replicas, and three sentinels, for one test class; all have the same password. */
final class RealSentinels implements BeforeAllCallback, AfterAllCallback {

    static final String MASTER_NAME = "limits";
    private static final String USER = ":secret@";
    private static final Duration LONGEST = Duration.ofSeconds(30);

    final Vertx vertx = Vertx.vertx();
    private final int replicas;
    final List<RealNode> servers = new ArrayList<>();
    final List<RealNode> sentinels = new ArrayList<>();

    RealSentinels(int replicas) {
        this.replicas = replicas;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        for (int i = 0; i <= replicas; i++) {
            servers.add(startServer());
        }
        for (int i = 0; i < 3; i++) {
            sentinels.add(startSentinel());
        }
    }

    private RealNode startServer() throws Exception {
        int port = RealRedis.freePort();
        return RealNode.start(vertx, USER, port, RealRedis.newServer().port(port).bind("127.0.0.1").setting("save \"\"")
                .setting("dir " + Files.createTempDirectory("redis-sentinel"))
                .setting("requirepass secret").setting("masterauth secret")
                .setting("repl-diskless-sync yes").setting("repl-diskless-sync-delay 0")
                .setting(servers.isEmpty() ? "" : "replicaof 127.0.0.1 " + servers.get(0).port()).build());
    }

    private RealNode startSentinel() throws Exception {
        int port = RealRedis.freePort();
        Path folder = Files.createTempDirectory("redis-sentinel");
        Path file = Files.writeString(folder.resolve("sentinel.conf"), """
                bind 127.0.0.1
                port %1$d
                dir %2$s
                requirepass secret
                sentinel sentinel-pass secret
                sentinel monitor %3$s 127.0.0.1 %4$d 2
                sentinel auth-pass %3$s secret
                sentinel down-after-milliseconds %3$s 500
                sentinel failover-timeout %3$s 2000
                """.formatted(port, folder, MASTER_NAME, servers.get(0).port()));
        return RealNode.start(vertx, USER, port,
                new RedisSentinel(port, List.of(RealRedis.binary().getPath(), file.toString(), "--sentinel"), true));
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        for (List<RealNode> nodes : List.of(sentinels, servers)) {
            for (RealNode node : nodes) {
                node.process().stop();
            }
        }
    }

    /** Waits until all servers run as one master and its replicas, and the sentinels know that and each other. */
    void awaitReplicas() {
        await().ignoreExceptions().atMost(LONGEST).until(() -> {
            RealNode master = master();
            return servers.stream().allMatch(server -> server.replicates(server == master ? "role:master"
                    : "master_port:" + master.port()) && (server == master || server.replicates("master_link_status:up")))
                    && sentinels.stream().map(sentinel -> sentinel.send(Command.INFO, "sentinel").toString())
                            .allMatch(known -> known.contains("status=ok,address=" + master.address())
                                    && known.contains("sentinels=" + sentinels.size()));
        });
    }

    /** Ends a server for good. */
    void remove(RealNode server) throws IOException {
        servers.remove(server);
        server.process().stop();
    }

    /** How many connections it has, but for those of sentinels and replicas. */
    static long clients(RealNode node) {
        return node.send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines()
                .filter(line -> !line.contains("name=sentinel-")).count();
    }

    private static int masterPort(RealNode sentinel) {
        return sentinel.send(Command.SENTINEL, "GET-MASTER-ADDR-BY-NAME", MASTER_NAME).get(1).toInteger();
    }

    /** The master of most sentinels. */
    RealNode master() {
        List<Integer> ports = sentinels.stream().map(RealSentinels::masterPort).sorted().toList();
        return servers.stream().filter(server -> server.port() == ports.get(1)).findFirst().orElseThrow();
    }

    /** Waits until most sentinels name another server as the master. */
    RealNode awaitMasterOtherThan(RealNode lost) {
        await().pollInterval(Duration.ofMillis(20)).atMost(LONGEST).until(() -> master() != lost);
        return master();
    }

    /** A store that uses the sentinels. */
    RedisStore newStore(Duration timeout) {
        return newStore(MasterDiscovery.bySentinels(nodes(sentinels.stream().map(RealNode::address).toList()), MASTER_NAME),
                timeout);
    }

    RedisStore newStore(MasterDiscovery search, Duration timeout) {
        return RedisStore.single(vertx, search, timeout,
                new DecideScript("test", Clock.systemUTC()));
    }

    RedisNodes nodes(List<String> addresses) {
        return nodes(addresses, USER);
    }

    /** @param user as {@code name:password@} */
    RedisNodes nodes(List<String> addresses, String user) {
        return RealNode.nodes(vertx, user, addresses);
    }

    Redis client(String address) {
        return RealNode.client(vertx, USER, address);
    }
}
