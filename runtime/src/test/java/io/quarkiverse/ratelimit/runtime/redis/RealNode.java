package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.quarkiverse.ratelimit.runtime.redis.topology.RedisNodes;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisInstance;

/** A real process of several that belong together, on this machine. */
record RealNode(int port, RedisInstance process, Redis client, AtomicReference<String> pid) {

    /** @param user as {@code name:password@} */
    static RealNode start(Vertx vertx, String user, int port, RedisInstance process) throws IOException {
        process.start();
        return new RealNode(port, process, client(vertx, user, "127.0.0.1:" + port), new AtomicReference<>());
    }

    /** @param user as {@code name:password@} */
    static RedisNodes nodes(Vertx vertx, String user, List<String> seeds) {
        return new RedisNodes(() -> seeds.stream().map(RealNode::uri).toList(),
                node -> client(vertx, user, node.getAuthority()));
    }

    static URI uri(String address) {
        return URI.create("redis://" + address);
    }

    /** @param user as {@code name:password@} */
    static Redis client(Vertx vertx, String user, String address) {
        return Redis.createClient(vertx, "redis://" + user + address);
    }

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

    /** Its id in its cluster. */
    String id() {
        return send(Command.CLUSTER, "MYID").toString();
    }

    /** Whether its replication info contains this. */
    boolean replicates(String state) {
        return send(Command.INFO, "replication").toString().contains(state);
    }

    /** Stops the process where it stands, or lets it go on. */
    void signal(String name) throws Exception {
        if (name.equals("STOP")) {
            pid.set(send(Command.INFO, "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1"));
        }
        assertThat(new ProcessBuilder("kill", "-" + name, pid.get()).start().waitFor()).isZero();
    }
}
