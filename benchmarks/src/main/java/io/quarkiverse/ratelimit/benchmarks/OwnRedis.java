package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;

import redis.embedded.RedisServer;

/** A Redis of a benchmark's own, in a process of its own and without persistence. */
final class OwnRedis implements AutoCloseable {

    private final RedisServer server;
    private final int port;

    private OwnRedis(RedisServer server, int port) {
        this.server = server;
        this.port = port;
    }

    static OwnRedis start() throws IOException {
        int port = Application.freePort();
        RedisServer server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        server.start();
        return new OwnRedis(server, port);
    }

    int port() {
        return port;
    }

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
