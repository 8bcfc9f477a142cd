package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;
import java.util.Comparator;

import redis.embedded.RedisServer;

/** A Redis of a benchmark's own, in a process of its own and without persistence. */
final class OwnRedis implements AutoCloseable {

    private final RedisServer server;
    private final int port;
    private final ProcessHandle process;

    private OwnRedis(RedisServer server, int port, ProcessHandle process) {
        this.server = server;
        this.port = port;
        this.process = process;
    }

    static OwnRedis start() throws IOException {
        int port = Application.freePort();
        RedisServer server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        server.start();
        ProcessHandle youngest = ProcessHandle.current().children()
                .max(Comparator.comparing(child -> child.info().startInstant().orElseThrow())).orElseThrow();
        return new OwnRedis(server, port, youngest);
    }

    int port() {
        return port;
    }

    ProcessHandle process() {
        return process;
    }

    String address() {
        return "redis://127.0.0.1:" + port;
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
