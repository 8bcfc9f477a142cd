package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.RedisServerBuilder;

/** Runs a real redis-server for one test class. */
public final class RealRedis implements BeforeAllCallback, AfterAllCallback {

    public final Vertx vertx = Vertx.vertx();
    private RedisServer server;
    private Redis client;
    private String pid;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        server = newServer().port(freePort()).bind("127.0.0.1").setting("save \"\"").build();
        start();
        client = newClient();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        server.stop();
    }

    /** A server of the binary that the system property {@code redis.server} names, else of the one that tests bring along. */
    static RedisServerBuilder newServer() {
        return RedisServer.newRedisServer().executableProvider(RealRedis::binary);
    }

    static File binary() throws IOException {
        String named = System.getProperty("redis.server", "");
        return named.isEmpty() ? ExecutableProvider.newJarResourceProvider().get() : new File(named);
    }

    void start() throws Exception {
        pid = null;
        server.start();
    }

    void stop() throws Exception {
        server.stop();
    }

    public int port() {
        return server.ports().get(0);
    }

    Redis newClient() {
        return newClient("redis://127.0.0.1:" + port());
    }

    public Redis newClient(String address) {
        return Redis.createClient(vertx, address);
    }

    /** A store of one's own, whose keys begin with {@code test}. */
    public RedisStore newStore(Duration timeout) {
        return newStore(timeout, new LimiterClock());
    }

    /** @param clock moves the time of the store */
    public RedisStore newStore(Duration timeout, LimiterClock clock) {
        return newStore(this::newClient, timeout, clock);
    }

    public RedisStore newStore(Supplier<Redis> clients, Duration timeout) {
        return newStore(clients, timeout, new LimiterClock());
    }

    public RedisStore newStore(Supplier<Redis> clients, Duration timeout, LimiterClock clock) {
        DecideScript script = new DecideScript("test", Clock.systemUTC());
        clock.moveAlso(script::moveClock);
        return RedisStore.single(vertx, RedisConnector.to(clients), timeout, script);
    }

    /** How often a command was called since the last {@code CONFIG RESETSTAT}. */
    public long calls(String command) {
        Matcher calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(send(Command.INFO, "commandstats").toString());
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** Stops the server's process where it stands, or lets it go on. */
    void signal(String name) throws Exception {
        if (pid == null) {
            pid = send(Command.INFO, "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1");
        }
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }

    Response send(Request request) {
        return await(client.send(request));
    }

    public Response send(Command command, Object... arguments) {
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

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static int freePort() throws Exception {
        try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
