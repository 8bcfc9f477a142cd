package io.quarkiverse.ratelimit.test.redis;

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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logmanager.Level;
import org.jboss.logmanager.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkiverse.ratelimit.test.devservices.fixtures.Warnings;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/**
 * A proxy resets each connection because its Redis is unavailable: the log reports that once, but all that concerns the
 * application. Then a customizer of the application leads new connections of the limiter to a local Redis, which only its own
 * client gets. A plan's resolver that hangs and a Redis that does not reply cost a limiter in code one timeout together.
 */
@TestMethodOrder(OrderAnnotation.class)
class RedisOutagesTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Path LOG = Path.of("target", "redis-outages.log");
    private static final ServerSocket PROXY = listen();
    /** How often that was; a property, as the test's class is loaded twice. */
    private static final String RESETS = "redis-outages.resets";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class, Address.class, Hanging.class, Warnings.class))
            .withConfiguration("""
                    quarkus.redis.devservices.enabled=false
                    quarkus.redis.limits.devservices.enabled=false
                    quarkus.redis.other.hosts=${quarkus.redis.limits.hosts}
                    # Vert.x warns of a busy machine, too
                    quarkus.vertx.max-event-loop-execute-time=1m
                    quarkus.log.file.enabled=true
                    quarkus.rate-limit.redis-client=limits
                    quarkus.rate-limit.timeout=2s
                    quarkus.rate-limit.policies.three.permits=3
                    quarkus.rate-limit.policies.three.period=1h
                    quarkus.rate-limit.policies.three.key=global
                    quarkus.rate-limit.policies.users.permits=100
                    quarkus.rate-limit.policies.users.period=1h
                    quarkus.rate-limit.policies.users.plan=bean:hanging
                    """)
            .overrideRuntimeConfigKey("quarkus.redis.own.hosts", "redis://127.0.0.1:" + PROXY.getLocalPort())
            .overrideRuntimeConfigKey("quarkus.log.file.path", LOG.toString())
            .setLogRecordPredicate(Warnings::include)
            .assertLogRecords(log -> assertThat(log).extracting(LogRecord::getMessage).as("of outages and the plan's resolver")
                    .allMatch(message -> message.startsWith("Rate limits are decided by on-redis-failure")
                            || message.startsWith("The RateLimitPlanResolver \"hanging\" fails")));

    @Inject
    @RateLimitPolicy("three")
    RateLimiter three;

    @Inject
    @RateLimitPolicy("users")
    RateLimiter users;

    @Inject
    @RedisClientName("other")
    RedisDataSource redis;

    @Inject
    Address address;

    @ConfigProperty(name = "quarkus.redis.limits.hosts")
    String hosts;

    @ConfigProperty(name = "quarkus.redis.hosts")
    Optional<String> defaultHosts;

    @AfterAll
    static void close() throws IOException {
        PROXY.close();
    }

    @Test
    @Order(1)
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
    @Order(2)
    void connectionsOfTheApplicationAreLogged() throws IOException {
        long before = unhandledErrors();
        for (int i = 0; i < 3; i++) {
            when().get("/own").then().statusCode(204);
        }
        // the client may log an error after it has failed the connection
        await().atMost(Duration.ofSeconds(30)).until(() -> unhandledErrors() - before == 3);
    }

    @Test
    @Order(3)
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

    @Test
    @Order(4)
    void nextConnectionUsesTheOptionsOfThatMoment() {
        assertThat(three.peek().source()).isEqualTo(Source.FALLBACK);

        address.isWrong = false;

        await().atMost(SOON).until(() -> three.peek().source() == Source.REDIS);
        assertThat(address.seen).isNotEmpty().allSatisfy(options -> {
            assertThat(options.getType()).isEqualTo(RedisClientType.STANDALONE);
            assertThat(options.getEndpoints()).hasSize(1);
        });
    }

    @Test
    void callWaitsForOneTimeout() throws Exception {
        address.isWrong = false;
        RateLimiter alice = users.forKey("alice");

        await().atMost(SOON).until(() -> alice.tryAcquire().source() == Source.REDIS);
        String pid = redis.execute("INFO", "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1");
        signal("STOP", pid);
        try {
            List.of(timed(alice::tryAcquire), timed(() -> alice.reserve(1).decision()))
                    .forEach(time -> assertThat(time.join()).isBetween(
                            TIMEOUT.multipliedBy(4).dividedBy(5),
                            TIMEOUT.multipliedBy(16).dividedBy(10)));
        } finally {
            signal("CONT", pid);
        }
    }

    @Test
    void onlyTheLimitersClientGetsIt() {
        assertThat(redis.execute("PING").toString()).isEqualTo("PONG");
        assertThat(defaultHosts).isEmpty();
    }

    @Test
    void applicationTalksToItOnTheLoopbackInterface() {
        redis.value(String.class).set("greeting", "hello");

        assertThat(redis.value(String.class).get("greeting")).isEqualTo("hello");
        assertThat(hosts).startsWith("redis://127.0.0.1:");
    }

    @Test
    void nothingIsWrittenToDisk() {
        assertThat(redis.execute("CONFIG", "GET", "save").get("save").toString()).isEmpty();
        assertThat(redis.execute("CONFIG", "GET", "appendonly").get("appendonly").toString()).isEqualTo("no");
    }

    /** How long a call takes that begins now on another thread, and uses the fallback. */
    private static CompletableFuture<Duration> timed(Supplier<RateLimitDecision> call) {
        return CompletableFuture.supplyAsync(() -> {
            long began = System.nanoTime();
            assertThat(call.get().source()).isEqualTo(Source.FALLBACK);
            return Duration.ofNanos(System.nanoTime() - began);
        }, command -> new Thread(command).start());
    }

    private static void signal(String name, String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
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

    @ApplicationScoped
    @Identifier("hanging")
    public static class Hanging implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().nothing();
        }
    }

    @Singleton
    public static class Address implements RedisOptionsCustomizer {

        private final List<RedisOptions> seen = new CopyOnWriteArrayList<>();
        private volatile boolean isWrong = true;

        @ConfigProperty(name = "quarkus.redis.own.hosts")
        String proxy;

        @Override
        public void customize(String clientName, RedisOptions options) {
            if (!clientName.equals("limits")) {
                return;
            }
            seen.add(options);
            if (isWrong) {
                options.setConnectionString(proxy);
            }
        }
    }
}
