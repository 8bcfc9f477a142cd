package io.quarkiverse.ratelimit.it.cluster;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

/** An application counts in a Redis Cluster as in one Redis. */
@QuarkusTest
@TestProfile(InClusterTest.Cluster.class)
class InClusterTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimiters limiters;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void callersOnAllMastersAreCountedInRedis() {
        RateLimiter limiter = limiters.get("five-for-each");

        for (int caller = 0; caller < 30; caller++) {
            assertThat(limiter.acquireAndAwait("" + caller)).matches(decision -> decision.source() == Source.REDIS)
                    .matches(decision -> decision.remaining() == 4);
        }
        limits.reset();
        for (int caller = 0; caller < 30; caller++) {
            assertThat(limiter.acquireAndAwait("" + caller).remaining()).isEqualTo(4);
        }
    }

    @Test
    void whenOneOfTwoPoliciesRefusesNoneIsCharged() {
        assertThat(left(ask("alice"))).isEqualTo("\"five-for-each\";r=4, \"three-for-all\";r=2");
        ask("bob");
        ask("carol");

        Response refused = ask("alice");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.jsonPath().getList("violated-policies")).containsExactly("three-for-all");
        assertThat(left(refused)).isEqualTo("\"five-for-each\";r=4, \"three-for-all\";r=0");

        limiters.get("three-for-all").resetAndAwait("");
        assertThat(left(ask("alice"))).isEqualTo("\"five-for-each\";r=3, \"three-for-all\";r=2");
    }

    @Test
    void timeThatPassesBringsPermitsBack() {
        IntStream.range(0, 3).forEach(call -> ask("alice"));
        assertThat(ask("alice").statusCode()).isEqualTo(429);

        limits.advance(HOUR);

        assertThat(ask("alice").statusCode()).isEqualTo(200);
    }

    @Test
    void overridesAreInForce() {
        limiters.overrideAndAwait("three-for-all", Limit.tokenBucket(100).refill(1, HOUR), HOUR);
        assertThat(left(ask("alice"))).endsWith("\"three-for-all\";r=99");

        limiters.removeOverrideAndAwait("three-for-all");
        assertThat(left(ask("alice"))).endsWith("\"three-for-all\";r=1");
    }

    @Test
    void callsThatRunAreCounted() {
        RateLimiter running = limiters.of("running", Limit.concurrency(2));
        List<RateLimitReservation> held = IntStream.range(0, 2).mapToObj(call -> running.reserveAndAwait("alice", 1)).toList();

        assertThat(running.reserveAndAwait("alice", 1).decision().allowed()).isFalse();
        held.forEach(RateLimitReservation::cancelAndAwait);
        assertThat(running.peekAndAwait("alice").remaining()).isEqualTo(2);
    }

    private static Response ask(String caller) {
        return given().header("Caller", caller).get("/in-cluster");
    }

    /** The {@code RateLimit} header without times. */
    private static String left(Response response) {
        return response.header("RateLimit").replaceAll(";t=\\d+", "");
    }

    @Path("/in-cluster")
    public static class Resource {
        @GET
        @RateLimited("five-for-each")
        @RateLimited("three-for-all")
        public String get() {
            return "in a cluster";
        }
    }

    public static class Cluster implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.client-type", "cluster", "quarkus.rate-limit.timeout", "5s");
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(StartedCluster.class));
        }
    }
}
