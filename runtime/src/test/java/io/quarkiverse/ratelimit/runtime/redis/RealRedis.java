package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisServer;

/** Runs a real redis-server for one test class. */
final class RealRedis implements BeforeAllCallback, AfterAllCallback {

    final Vertx vertx = Vertx.vertx();
    private RedisServer server;
    private Redis client;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        server = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"").build();
        start();
        client = newClient();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        server.stop();
    }

    void start() throws Exception {
        server.start();
    }

    void stop() throws Exception {
        server.stop();
    }

    Redis newClient() {
        return Redis.createClient(vertx, "redis://127.0.0.1:" + server.ports().get(0));
    }

    Response send(Request request) {
        return await(client.send(request));
    }

    Response send(Command command, Object... arguments) {
        Request request = Request.cmd(command);
        for (Object argument : arguments) {
            if (argument instanceof byte[] bytes) {
                request.arg(bytes);
            } else {
                request.arg(String.valueOf(argument));
            }
        }
        return send(request);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static int freePort() throws Exception {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
