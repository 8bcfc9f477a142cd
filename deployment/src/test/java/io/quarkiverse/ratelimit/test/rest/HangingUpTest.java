package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;

import org.jboss.logmanager.Level;
import org.jboss.logmanager.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.redis.client.Redis;

/**
 * Where a proxy resets each connection because its Redis is unavailable, the log reports it once, and all of the application.
 */
class HangingUpTest {

    private static final Path LOG = Path.of("target", "hanging-up.log");
    private static final ServerSocket PROXY = listen();
    /** How often that was; a property, as the test's class is loaded twice. */
    private static final String RESETS = "hanging-up.resets";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Resource.class))
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.permits", "3")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.period", "1h")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.three.key", "ip")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:" + PROXY.getLocalPort())
            .overrideRuntimeConfigKey("quarkus.redis.own.hosts", "redis://127.0.0.1:" + PROXY.getLocalPort())
            // Vert.x warns of a busy machine, too
            .overrideRuntimeConfigKey("quarkus.vertx.max-event-loop-execute-time", "1m")
            .overrideRuntimeConfigKey("quarkus.log.file.enabled", "true")
            .overrideRuntimeConfigKey("quarkus.log.file.path", LOG.toString());

    @AfterAll
    static void close() throws IOException {
        PROXY.close();
    }

    @Test
    void eachTryIsSilentButTheFirst() throws IOException {
        long errors = unhandledErrors();
        int resets = Integer.getInteger(RESETS, 0);
        await().atMost(Duration.ofSeconds(30)).until(() -> Integer.getInteger(RESETS, 0) >= resets + 10);

        when().get("/limited").then().statusCode(200);

        assertThat(Files.readAllLines(LOG)).filteredOn(line -> line.contains("WARN")).hasSize(1)
                .allMatch(line -> line.contains("on-redis-failure"));
        assertThat(unhandledErrors()).isEqualTo(errors);
    }

    @Test
    void connectionsOfTheApplicationAreLogged() throws IOException {
        long before = unhandledErrors();
        for (int i = 0; i < 3; i++) {
            when().get("/own").then().statusCode(204);
        }
        // the client may log an error after it has failed the connection
        await().atMost(Duration.ofSeconds(30)).until(() -> unhandledErrors() - before == 3);
    }

    @Test
    void eachTryIsLoggedIfTheApplicationSetsTheLevel() throws IOException {
        long before = unhandledErrors();
        Logger logger = Logger.getLogger("io.vertx.redis.client.impl.RedisConnectionManager");
        logger.setLevel(Level.ERROR);
        try {
            await().atMost(Duration.ofSeconds(30)).until(() -> unhandledErrors() > before);
        } finally {
            logger.setLevel(null);
        }
    }

    private static long unhandledErrors() throws IOException {
        return Files.readAllLines(LOG).stream().filter(line -> line.contains("Unhandled Error")).count();
    }

    @jakarta.ws.rs.Path("/")
    public static class Resource {

        @Inject
        @RedisClientName("own")
        Redis own;

        @GET
        @jakarta.ws.rs.Path("own")
        public Uni<Void> own() {
            return own.connect().replaceWithVoid().onFailure().recoverWithNull();
        }

        @GET
        @jakarta.ws.rs.Path("limited")
        @RateLimited("three")
        public String limited() {
            return "limited";
        }
    }

    private static ServerSocket listen() {
        try {
            ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread accepting = new Thread(() -> resetAll(proxy), "resetting-proxy");
            accepting.setDaemon(true);
            accepting.start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void resetAll(ServerSocket proxy) {
        while (!proxy.isClosed()) {
            try (Socket caller = proxy.accept()) {
                caller.getInputStream().read();
                caller.setSoLinger(true, 0);
                System.setProperty(RESETS, "" + (Integer.getInteger(RESETS, 0) + 1));
            } catch (IOException closed) {
                // the test is over, or the caller has left first
            }
        }
    }
}
