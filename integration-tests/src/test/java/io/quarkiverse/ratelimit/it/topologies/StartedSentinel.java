package io.quarkiverse.ratelimit.it.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/** Starts a master with a password and a sentinel without one; the first sentinel in the list is unavailable. */
public class StartedSentinel implements QuarkusTestResourceLifecycleManager {

    private RedisServer master;
    private RedisSentinel sentinel;

    @Override
    public Map<String, String> start() {
        try {
            master = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"")
                    .setting("requirepass p@ss").build();
            master.start();
            sentinel = sentinel(freePort(), master.ports().get(0));
            sentinel.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String user = "redis://:p%40ss@127.0.0.1:";
        return Map.of("quarkus.redis.hosts", user + "1/3," + user + sentinel.ports().get(0) + "/3",
                "test.master", user + master.ports().get(0));
    }

    private static RedisSentinel sentinel(int port, int master) throws IOException {
        Path folder = Files.createTempDirectory("redis-sentinel");
        Path file = Files.writeString(folder.resolve("sentinel.conf"), """
                bind 127.0.0.1
                port %d
                dir %s
                sentinel monitor limits 127.0.0.1 %d 1
                sentinel auth-pass limits p@ss
                """.formatted(port, folder, master));
        return new RedisSentinel(port, List.of(ExecutableProvider.newJarResourceProvider().get().getPath(), file.toString(),
                "--sentinel"), true);
    }

    @Override
    public void stop() {
        try {
            sentinel.stop();
            master.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
