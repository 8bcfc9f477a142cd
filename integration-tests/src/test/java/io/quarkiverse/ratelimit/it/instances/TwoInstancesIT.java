package io.quarkiverse.ratelimit.it.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.it.instances.fixtures.Instance;
import io.quarkiverse.ratelimit.it.instances.fixtures.ShiftedClock;
import redis.embedded.RedisServer;

/** Two instances with one Redis are as strict as one, although the clock of one is 5 seconds ahead. */
@Tag("slow")
@DisabledIfSystemProperty(named = Instance.NATIVE, matches = ".*", disabledReason = "only a JVM's clock can be set ahead")
class TwoInstancesIT {

    private static final long AHEAD = 5_000;

    private static RedisServer redis;
    private static Instance one;
    private static Instance ahead;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        redis.start();
        one = Instance.start(port);
        ahead = Instance.start(port, ShiftedClock.option(directory, AHEAD));
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable started : new AutoCloseable[] { one, ahead, redis::stop }) {
            if (started != null) {
                started.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "thousand", "thousand-a-year", "thousand-sliding", "thousand-logged", "mixed" })
    void sixtyFourCallersOfTwoInstancesGetExactlyTheLimit(String limit) throws Exception {
        Map<Integer, Integer> responses = new ConcurrentHashMap<>();
        ExecutorService callers = Executors.newFixedThreadPool(64);
        for (int caller = 0; caller < 64; caller++) {
            Instance instance = caller % 2 == 0 ? one : ahead;
            callers.execute(() -> IntStream.range(0, 50).forEach(
                    i -> responses.merge(instance.get("/limited/" + limit, "any").join().statusCode(), 1, Integer::sum)));
        }
        callers.shutdown();

        assertThat(callers.awaitTermination(120, TimeUnit.SECONDS)).isTrue();
        assertThat(responses).isEqualTo(Map.of(200, 1_000, 429, 2_200));
    }

    @Test
    void bothInstancesObserveThatALimitIsApproachedAndOneWarns() {
        for (int call = 1; call <= 5; call++) {
            assertThat(one.get("/limited/warned", "any").join().statusCode()).isEqualTo(200);
            assertThat(ahead.get("/limited/warned", "any").join().statusCode()).isEqualTo(200);
        }

        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(List.of(warnings(one), warnings(ahead)))
                .containsExactlyInAnyOrder("1 0", "1 1"));
    }

    private static String warnings(Instance instance) {
        return instance.get("/limited/warnings", "any").join().body();
    }

    @Test
    void twoHundredCallsAtOnceAreAllowedOrDenied() {
        List<CompletableFuture<HttpResponse<String>>> calls = IntStream.range(0, 200)
                .mapToObj(i -> one.get("/limited/crowd", "any")).toList();

        List<Integer> responses = calls.stream().map(call -> call.join().statusCode()).toList();

        assertThat(responses).containsOnly(200, 429);
        assertThat(Collections.frequency(responses, 200)).isEqualTo(150);
    }

    @Test
    void callsArePacedOverAllInstances() {
        long began = System.nanoTime();
        Map<Integer, List<Long>> times = new ConcurrentHashMap<>();
        IntStream.range(0, 40).mapToObj(i -> (i % 2 == 0 ? one : ahead).get("/limited/paced", "any")
                .thenAccept(response -> times.computeIfAbsent(response.statusCode(), status -> new CopyOnWriteArrayList<>())
                        .add(System.nanoTime() - began)))
                .toList().forEach(CompletableFuture::join);

        assertThat(times).containsOnlyKeys(200, 429);
        List<Long> allowed = times.get(200).stream().sorted().toList();
        int secondsOfCalling = (int) TimeUnit.NANOSECONDS.toSeconds(Collections.max(times.get(429)));
        assertThat(allowed).as("one at once, and one per second for three seconds after the last call")
                .hasSizeBetween(4, 5 + secondsOfCalling);
        assertThat(allowed.get(3)).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2_900));
    }

    @Test
    void noMoreThanTenCallsRunAtOnceOnAllInstances() {
        List<CompletableFuture<HttpResponse<String>>> calls = IntStream.range(0, 40)
                .mapToObj(i -> (i % 2 == 0 ? one : ahead).get("/limited/ten-at-once?millis=6000", "crowd")).toList();

        List<Integer> responses = calls.stream().map(call -> call.join().statusCode()).toList();

        assertThat(responses).containsOnly(200, 429);
        assertThat(Collections.frequency(responses, 200)).isEqualTo(10);
        assertThat(one.get("/limited/ten-at-once?millis=0", "crowd").join().statusCode()).isEqualTo(200);
    }

    @Test
    void permitsOfAKilledInstanceReturnAfterTheLeaseTime() throws Exception {
        // so long that a call after the end of the instance arrives before the end of the leases
        try (Instance third = Instance.start(redis.ports().get(0),
                "-Dquarkus.rate-limit.policies.ten-at-once.lease-time=6s")) {
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                third.get("/limited/ten-at-once?millis=60000", "killed");
                return tenAtOnce("killed") == 429;
            });
            await().during(Duration.ofSeconds(8)).atMost(Duration.ofSeconds(20)).until(() -> tenAtOnce("killed") == 429);

            third.kill();

            assertThat(tenAtOnce("killed")).isEqualTo(429);
            await().atMost(Duration.ofSeconds(12)).until(() -> tenAtOnce("killed") == 200);
        }
    }

    private static int tenAtOnce(String caller) {
        return one.get("/limited/ten-at-once?millis=0", caller).join().statusCode();
    }

    @Test
    void clocksThatDifferGrantNothing() {
        for (int i = 0; i < 50; i++) {
            one.get("/limited/time", "warm-up").join();
            ahead.get("/limited/time", "warm-up").join();
        }
        List<HttpResponse<String>> ofOne = new ArrayList<>();
        List<HttpResponse<String>> ofAhead = new ArrayList<>();
        long began = System.nanoTime();
        for (int i = 0; i < 150; i++) {
            ofOne.add(one.get("/limited/time", "both").join());
            ofAhead.add(ahead.get("/limited/time", "both").join());
        }
        double seconds = (System.nanoTime() - began) / 1e9;

        long shift = Long.parseLong(ofAhead.get(0).body()) - Long.parseLong(ofOne.get(0).body());
        assertThat(shift).as("the clocks differ").isBetween(AHEAD, AHEAD + 2_000);
        assertThat(reset(ofAhead.get(149)) - reset(ofOne.get(149))).as("so do the headers").isBetween(4L, 6L);

        ofOne.addAll(ofAhead);
        assertThat(ofOne).extracting(HttpResponse::statusCode).containsOnly(200, 429);
        long allowed = ofOne.stream().filter(response -> response.statusCode() == 200).count();
        assertThat(allowed).as("in %s s; the clock ahead would grant 50 more", seconds).isBetween(100L,
                101 + (long) (10 * seconds));
    }

    private static long reset(HttpResponse<String> response) {
        return response.headers().firstValueAsLong("X-RateLimit-Reset").orElseThrow();
    }
}
