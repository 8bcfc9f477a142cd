package io.quarkiverse.ratelimit.it.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisServer;

/** A real redis-server behind a {@link FaultyLink}. */
public class FaultyRedis implements QuarkusTestResourceLifecycleManager {

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private Path directory;
    private RedisServer server;
    private FaultyLink link;
    private RedisConnection control;
    private String pid;

    @Override
    public Map<String, String> start() {
        try {
            directory = Files.createTempDirectory("faulty-redis");
            server = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"")
                    .setting("dir " + directory).build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        startServer();
        link = new FaultyLink(vertx, server.ports().get(0));
        return Map.of("quarkus.redis.hosts", "redis://127.0.0.1:" + link.port());
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(FaultyRedis.class));
    }

    @Override
    public void stop() {
        await(vertx.close());
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FaultyLink link() {
        return link;
    }

    /** Starts it with its saved data, if any. */
    void startServer() {
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        control = await(newClient().connect());
        pid = send(Command.INFO, "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1");
    }

    /** Stops it after it has saved its data. */
    void shutDown() {
        control.send(request(Command.SHUTDOWN, "SAVE"));
        ended();
    }

    /** Kills it and deletes its data. */
    void kill() {
        signal("KILL");
        ended();
        try {
            Files.deleteIfExists(directory.resolve("dump.rdb"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void ended() {
        ProcessHandle.of(Long.parseLong(pid)).ifPresent(process -> process.onExit().orTimeout(10, TimeUnit.SECONDS).join());
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void signal(String name) {
        try {
            if (new ProcessBuilder("kill", "-" + name, pid).start().waitFor() != 0) {
                throw new IllegalStateException("No signal " + name + " to " + pid);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes saving fail, or work again. */
    void saveInto(boolean possible) {
        try {
            Path gone = Files.createDirectories(directory.resolve("gone"));
            send(Command.CONFIG, "SET", "dir", possible ? directory : gone);
            Files.delete(gone);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Response send(Command command, Object... arguments) {
        return await(control.send(request(command, arguments)));
    }

    /** Sends a command on another connection, and does not wait for the reply. */
    void sendElsewhere(Command command, Object... arguments) {
        Redis other = newClient();
        other.connect().compose(connection -> connection.send(request(command, arguments)))
                .onComplete(done -> other.close());
    }

    /** The number of connections except the one of the tests. */
    long connections() {
        return send(Command.CLIENT, "LIST", "TYPE", "normal").toString().lines().count() - 1;
    }

    /** Closes all connections except the one of the tests. */
    void closeConnections() {
        send(Command.CLIENT, "KILL", "TYPE", "normal");
    }

    private Redis newClient() {
        return Redis.createClient(vertx, "redis://127.0.0.1:" + server.ports().get(0));
    }

    private static Request request(Command command, Object... arguments) {
        Request request = Request.cmd(command);
        for (Object argument : arguments) {
            request.arg(String.valueOf(argument));
        }
        return request;
    }

    static <T> T await(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
