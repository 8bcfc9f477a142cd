package io.quarkiverse.ratelimit.test.health;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;

import redis.embedded.RedisServer;

/** A real redis-server that an application finds under the same port again. */
final class StoppableRedis implements AutoCloseable {

    private final RedisServer server;

    StoppableRedis(int port) {
        try {
            server = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A free port, the same for the class of this name wherever it is loaded: for the test and within its application. */
    static int port(Class<?> test) {
        return (int) System.getProperties().computeIfAbsent(test.getName() + ".port", name -> freePort());
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start() {
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
