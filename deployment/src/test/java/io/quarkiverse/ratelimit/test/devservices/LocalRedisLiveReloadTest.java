package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.devservices.fixtures.LimitedGreeting;
import io.quarkiverse.ratelimit.test.devservices.fixtures.Warnings;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusDevModeTest;
import io.restassured.RestAssured;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/** Reloads keep the local Redis and warn of nothing. None leaves a connection behind, whether the application starts or not. */
@Tag("slow")
class LocalRedisLiveReloadTest {

    private static final String CONFIGURATION = "application.properties";
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Pattern ID = Pattern.compile("id=(\\d+) .*");

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClasses(LimitedGreeting.class, Stored.class).addAsResource(new StringAsset("""
                    quarkus.http.port=8089
                    quarkus.redis.devservices.enabled=false
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.greetings.permits=1000
                    quarkus.rate-limit.policies.greetings.period=1h
                    quarkus.rate-limit.policies.greetings.key=global
                    quarkus.rate-limit.policies.calls.permits=500
                    quarkus.rate-limit.policies.calls.period=1h
                    fails-at-start=false
                    greeting=before
                    """), CONFIGURATION))
            .setLogRecordPredicate(Warnings::include);

    private final Vertx vertx = Vertx.vertx();
    private RedisConnection redis;

    @AfterEach
    void close() throws Exception {
        get(vertx.close());
    }

    /** In one start. Warnings come first, as an application that does not start causes some. */
    @TestFactory
    Stream<DynamicTest> reloads() {
        return Stream.of(
                dynamicTest("sameRedisIsKeptAndNothingIsWarnedOf", this::sameRedis),
                dynamicTest("blockedKeyIsDeniedFromTheFirstCallOn", this::blockedKey),
                dynamicTest("connectionsAreClosed", this::connectionsAreClosed));
    }

    private void sameRedis() {
        String before = get("/stored");

        APP.modifyResourceFile(CONFIGURATION, text -> text.replace("=before", "=after"));

        assertThat(before).startsWith("before, first before in redis://127.0.0.1:");
        assertThat(get("/stored")).isEqualTo(before.replace("before,", "after,"));
        Warnings.assertNone(APP.getLogRecords());
    }

    private void blockedKey() {
        assertThat(get("/stored/allowed")).isEqualTo("true");
        RestAssured.given().port(8089).post("/stored/block").then().statusCode(204);

        APP.modifyResourceFile(CONFIGURATION, text -> text.replace("=after", "=later"));

        assertThat(get("/stored/allowed")).isEqualTo("false");
    }

    private void connectionsAreClosed() throws Exception {
        redis = get(Redis.createClient(vertx, greeting().replace("first ", "")).connect());
        assertThat(connections()).isNotEmpty();

        assertReplaced(() -> APP.modifySourceFile(LimitedGreeting.class, text -> text.replace("first", "second")));
        assertThat(greeting()).startsWith("second");
        assertReplaced(() -> APP.modifyResourceFile(CONFIGURATION, text -> text.replace("1000", "2000")));
        assertThat(RestAssured.given().port(8089).get("/greeting").header("RateLimit-Policy")).contains("q=2000");

        assertNoneWhere("=2000", "=many", "permits");
        assertNoneWhere("fails-at-start=false", "fails-at-start=true", "as configured");
        assertReplaced(() -> APP.modifySourceFile(LimitedGreeting.class, text -> text.replace("second", "third")));
        assertThat(greeting()).startsWith("third");
    }

    private void assertReplaced(Runnable change) throws Exception {
        Set<String> before = connections();
        change.run();
        greeting();
        await().atMost(SOON).until(() -> connections().stream().noneMatch(before::contains));
    }

    /** While the application cannot start. */
    private void assertNoneWhere(String right, String wrong, String message) {
        APP.modifyResourceFile(CONFIGURATION, text -> text.replace(right, wrong));
        assertThat(RestAssured.given().port(8089).get("/greeting").asString()).contains(message);
        await().atMost(SOON).until(() -> connections().isEmpty());
        APP.modifyResourceFile(CONFIGURATION, text -> text.replace(wrong, right));
        greeting();
    }

    private static String greeting() {
        return get("/greeting");
    }

    private static String get(String path) {
        return RestAssured.given().port(8089).get(path).then().statusCode(200).extract().asString();
    }

    /** The ids of all connections but the one that lists them. */
    private Set<String> connections() throws Exception {
        String own = send("ID");
        return send("LIST").lines().map(line -> ID.matcher(line).replaceAll("$1")).filter(id -> !id.equals(own))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String send(String command) throws Exception {
        return get(redis.send(Request.cmd(Command.CLIENT).arg(command))).toString();
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Path("/stored")
    public static class Stored {

        @RateLimitPolicy("calls")
        RateLimiter calls;

        private final RedisDataSource redis;
        private final String greeting;
        private final String hosts;

        Stored(RedisDataSource redis, @ConfigProperty(name = "greeting") String greeting,
                @ConfigProperty(name = "quarkus.redis.hosts") String hosts) {
            this.redis = redis;
            this.greeting = greeting;
            this.hosts = hosts;
        }

        @GET
        public String get() {
            redis.value(String.class).setnx("first", greeting);
            return greeting + ", first " + redis.value(String.class).get("first") + " in " + hosts;
        }

        @GET
        @Path("allowed")
        public boolean isAllowed() {
            return calls.forKey("alice").tryAcquire().allowed();
        }

        @POST
        @Path("block")
        public void block() {
            calls.forKey("alice").block(Duration.ofHours(1));
        }
    }
}
