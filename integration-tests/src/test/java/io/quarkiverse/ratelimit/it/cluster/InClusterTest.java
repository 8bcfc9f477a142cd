package io.quarkiverse.ratelimit.it.cluster;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.cluster.fixtures.StartedCluster;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

/** Limits in a Redis Cluster work as in a single Redis. */
@Tag("slow")
@QuarkusTest
@TestProfile(InClusterTest.Cluster.class)
class InClusterTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @Test
    void callersOnAllMastersAreCountedInRedis() {
        RateLimiter limiter = limiters.get("five-for-each");

        for (int caller = 0; caller < 30; caller++) {
            assertThat(limiter.forKey("" + caller).tryAcquire()).matches(decision -> decision.source() == Source.REDIS)
                    .matches(decision -> decision.remaining() == 4);
        }
        limits.reset();
        for (int caller = 0; caller < 30; caller++) {
            assertThat(limiter.forKey("" + caller).tryAcquire().remaining()).isEqualTo(4);
        }
    }

    @Test
    void whenOneOfTwoPoliciesDeniesNoneIsCharged() {
        assertThat(left(call("alice"))).isEqualTo("\"five-for-each\";r=4, \"three-for-all\";r=2");
        call("bob");
        call("carol");

        Response denied = call("alice");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("three-for-all");
        assertThat(left(denied)).isEqualTo("\"five-for-each\";r=4, \"three-for-all\";r=0");

        limiters.get("three-for-all").reset();
        assertThat(left(call("alice"))).isEqualTo("\"five-for-each\";r=3, \"three-for-all\";r=2");
    }

    @Test
    void advanceRefillsPermits() {
        IntStream.range(0, 3).forEach(call -> call("alice"));
        assertThat(call("alice").statusCode()).isEqualTo(429);

        limits.advance(HOUR);

        assertThat(call("alice").statusCode()).isEqualTo(200);
    }

    @Test
    void overridesApply() {
        admin.policy("three-for-all").override(Limit.tokenBucket(100).refill(1, HOUR), HOUR);
        assertThat(left(call("alice"))).endsWith("\"three-for-all\";r=99");

        admin.policy("three-for-all").removeOverride();
        assertThat(left(call("alice"))).endsWith("\"three-for-all\";r=1");
    }

    @Test
    void callsThatRunAreCounted() {
        RateLimiter running = limiters.create("running", Limit.concurrency(2));
        List<RateLimitReservation> reservations = IntStream.range(0, 2).mapToObj(call -> running.forKey("alice").reserve(1))
                .toList();

        assertThat(running.forKey("alice").reserve(1).decision().allowed()).isFalse();
        reservations.forEach(RateLimitReservation::cancel);
        assertThat(running.forKey("alice").peek().remaining()).isEqualTo(2);
    }

    @Test
    void permitsAreAcquiredAheadOnAllMasters() {
        for (int caller = 0; caller < 10; caller++) {
            List<RateLimitDecision> decisions = acquireAhead("ahead " + caller, 100);

            assertThat(decisions).extracting(RateLimitDecision::source).containsOnly(Source.REDIS, Source.PREFETCHED);
            assertThat(decisions).extracting(RateLimitDecision::remaining)
                    .containsExactlyElementsOf(LongStream.range(0, 100).mapToObj(used -> 4_999 - used).toList());
        }
    }

    @Test
    void exactlyTheLimitIsAllowedWithPermitsAcquiredAhead() {
        assertThat(acquireAhead("alice", 6_000)).filteredOn(RateLimitDecision::allowed).hasSize(5_000);
    }

    @Test
    void permitAcquiredAheadIsRefundedWhenAnotherPolicyDenies() {
        acquireAhead("alice", 100);
        assertThat(acquireAhead("alice", 1)).extracting(RateLimitDecision::source).containsExactly(Source.PREFETCHED);
        for (int call = 1; call <= 3; call++) {
            assertThat(left(callAhead("alice"))).isEqualTo("\"prefetched\";r=%d, \"three-for-all\";r=%d"
                    .formatted(4_899 - call, 3 - call));
        }

        assertThat(callAhead("alice").statusCode()).isEqualTo(429);

        // a peek returns what this instance holds
        await().until(() -> limiters.get("prefetched").forKey("alice").peek().remaining() == 5_000 - 104);
    }

    private List<RateLimitDecision> acquireAhead(String caller, int calls) {
        RateLimiter limiter = limiters.get("prefetched").forKey(caller);
        return Stream.generate(limiter::tryAcquire).limit(calls).toList();
    }

    private static Response callAhead(String caller) {
        return given().header("Caller", caller).get("/in-cluster/ahead");
    }

    private static Response call(String caller) {
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

        @GET
        @Path("/ahead")
        @RateLimited("prefetched")
        @RateLimited("three-for-all")
        public String ahead() {
            return "acquired ahead";
        }
    }

    public static class Cluster implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.redis.client-type", "cluster", "quarkus.rate-limit.timeout", "5s",
                    "quarkus.rate-limit.policies.prefetched.prefetch-time", "1m");
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(StartedCluster.class));
        }
    }
}
