package io.quarkiverse.ratelimit.test.memory;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.concurrency.SharedReservations;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/**
 * An application without any server counts in its own memory. Dev Services are on, as in every application, and the
 * same instance continues a reservation by its id.
 */
class MemoryStoreTest extends SharedReservations {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    Dependency.of("io.quarkus", "quarkus-smallrye-health-deployment", Version.getVersion()),
                    Dependency.of("io.quarkus", "quarkus-micrometer-registry-prometheus-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClasses(SharedReservations.class, Resource.class))
            .withConfiguration("quarkus.rate-limit.store=memory\nquarkus.rate-limit.timeout=10s\n"
                    + policy("token-bucket", "period=1h") + policy("leaky-bucket", "period=10m", "max-wait=1ms")
                    + policy("fixed-window", "period=366d") + policy("sliding-window", "period=366d")
                    + policy("sliding-log", "period=1h") + policy("concurrency") + policy("waiting", "period=2s")
                    + policy("code", "period=1h") + policy("changing", "period=1h")
                    + policy("attacked", "period=1h")
                    + policy("warned", "period=1h", "warn-at=50%") + """
                            quarkus.rate-limit.policies.warned.algorithm=token-bucket
                            quarkus.rate-limit.policies.waiting.algorithm=token-bucket
                            quarkus.rate-limit.policies.code.algorithm=token-bucket
                            quarkus.rate-limit.policies.changing.algorithm=token-bucket
                            quarkus.rate-limit.policies.attacked.algorithm=token-bucket
                            """)
            .setLogRecordPredicate(MemoryStoreTest::isAboutRedis).assertLogRecords(log -> assertThat(log).isEmpty());

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @ConfigProperty(name = "quarkus.redis.hosts")
    Optional<String> hosts;

    private static String policy(String name, String... properties) {
        String prefix = "quarkus.rate-limit.policies." + name + ".";
        return prefix + "permits=2\n" + prefix + "algorithm=" + name + "\n" + prefix + "key=header:X-Caller\n"
                + String.join("", List.of(properties).stream().map(property -> prefix + property + "\n").toList());
    }

    /** A local server that starts, a container that is wanted, a connection, a warning. */
    private static boolean isAboutRedis(LogRecord entry) {
        return entry.getLevel().intValue() >= Level.INFO.intValue()
                && new PatternFormatter("%s").format(entry).replace("redis-client", "").toLowerCase().contains("redis");
    }

    @Test
    void noRedisIsStarted() {
        assertThat(hosts).isEmpty();
    }

    @Test
    void readinessDoesNotMentionRedis() {
        Response ready = get("/q/health/ready");

        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(ready.asString()).doesNotContainIgnoringCase("redis");
        assertThat(ready.jsonPath().getMap("checks.find { it.name == 'Rate limits' }.data"))
                .isEqualTo(Map.of("rate-limits", "on", "store", "memory"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void thirdCallIsDenied(String algorithm) {
        assertThat(call(algorithm).header("RateLimit")).startsWith("\"" + algorithm + "\";r=1");
        assertThat(call(algorithm).statusCode()).isEqualTo(200);

        Response denied = call(algorithm);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(denied.header("Retry-After"))).isPositive();
        assertThat(given().header("X-Caller", "other").get("/" + algorithm).statusCode()).isEqualTo(200);
    }

    @Test
    void leakyBucketDeniesACallThatWouldWaitTooLong() {
        assertThat(call("leaky-bucket").statusCode()).isEqualTo(200);
        assertThat(call("leaky-bucket").statusCode()).isEqualTo(429);
    }

    @Test
    void endedCallReleasesItsPermit() {
        for (int i = 0; i < 5; i++) {
            assertThat(call("concurrency").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void reservationHoldsPermitsUntilItEnds() {
        RateLimiter limiter = limiters.create("at-once", Limit.concurrency(2)).forKey("alice");
        RateLimitReservation held = limiter.reserve(2);

        assertThat(held.decision().source()).isEqualTo(Source.MEMORY);
        assertThat(limiter.reserve(1).decision().allowed()).isFalse();
        limiter.reservation(held.id()).cancel();
        held.cancel();
        assertThat(limiter.peek().remaining()).isEqualTo(2);
    }

    @Test
    void settlementThatComesTwiceCountsOnce() {
        RateLimiter alice = limiters.get("code").forKey("settle");
        RateLimitReservation reserved = alice.reserve(2);

        assertThat(alice.reservation(reserved.id()).settle(1).remaining()).isEqualTo(1);
        reserved.settle(2);
        assertThat(alice.peek().remaining()).isEqualTo(1);
    }

    @Test
    void codeAcquiresChargesRefundsAndResets() {
        RateLimiter alice = limiters.get("code").forKey("alice");
        RateLimitDecision acquired = alice.tryAcquire(2);
        assertThat(acquired).returns(true, RateLimitDecision::allowed).returns(Source.MEMORY, RateLimitDecision::source);
        assertThat(alice.tryAcquireUpTo(2).granted()).isZero();

        limiters.get("code").refund(acquired);
        limiters.get("code").refund(acquired);
        assertThat(alice.peek().remaining()).isEqualTo(2);

        assertThat(alice.charge(5).remaining()).isZero();
        assertThat(alice.tryAcquire().retryAfter()).isGreaterThan(HOUR);
        alice.reset();
        assertThat(alice.peek().remaining()).isEqualTo(2);
    }

    @Test
    void codeWaitsForPermits() {
        RateLimiter alice = limiters.get("waiting").forKey("alice");
        alice.tryAcquire(2);

        RateLimitDecision delayed = alice.tryAcquire(1, Duration.ofSeconds(10));

        assertThat(delayed.allowed()).isTrue();
        assertThat(delayed.delay()).isPositive();
    }

    @Test
    void overrideIsInForceUntilItIsRemoved() {
        Limit five = Limit.tokenBucket(5).refill(1, HOUR);
        RateLimiter alice = limiters.get("changing").forKey("alice");
        RateLimiter bob = limiters.get("changing").forKey("bob");

        admin.policy("changing").forKey("alice").override(five, HOUR);
        assertThat(alice.peek().permits()).isEqualTo(5);
        assertThat(bob.peek().permits()).isEqualTo(2);

        admin.policy("changing").override(five);
        assertThat(bob.peek().permits()).isEqualTo(5);
        assertThat(admin.policy("changing").overrides()).hasSize(2);
        admin.policy("changing").removeOverride();
        admin.policy("changing").forKey("alice").removeOverride();
        assertThat(admin.policy("changing").overrides()).isEmpty();
        assertThat(alice.peek().permits()).isEqualTo(2);
    }

    @Test
    void blockedKeyIsDeniedUntilItIsUnblocked() {
        RateLimiter blocked = limiters.get("code").forKey("blocked");

        blocked.block(HOUR);
        assertThat(blocked.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(limiters.get("code").forKey("another").tryAcquire().allowed()).isTrue();
        assertThat(admin.policy("code").blocked()).extracting(BlockedKey::key).containsExactly(blocked.peek().key());

        blocked.unblock();
        assertThat(admin.policy("code").blocked()).isEmpty();
        assertThat(blocked.tryAcquire().allowed()).isTrue();
    }

    @Test
    void keysDeniedMostAreKnown() {
        RateLimiter mallory = limiters.get("attacked").forKey("mallory");
        for (int i = 0; i < 7; i++) {
            mallory.tryAcquire();
        }

        assertThat(admin.policy("attacked").mostDenied(9)).extracting(DeniedKey::denials).containsExactly(5L);
    }

    @Test
    void metricsNameMemoryAsTheSource() {
        call("sliding-log");

        assertThat(get("/q/metrics").asString().lines().filter(line -> line.startsWith("rate_limit_decisions_total{")))
                .isNotEmpty().allSatisfy(line -> assertThat(line).contains("source=\"memory\""));
        assertThat(get("/q/metrics").asString()).doesNotContain("rate_limit_redis");
    }

    @Test
    void metricCountsApproachedLimits() {
        for (int call = 1; call <= 2; call++) {
            limiters.get("warned").forKey("alice").tryAcquire();
        }

        assertThat(get("/q/metrics").asString()).contains("rate_limit_approached_total{policy=\"warned\"} 1.0\n")
                .doesNotContain("alice");
    }

    @Test
    void metricCountsPauses() {
        limiters.get("changing").forKey("paused").pause(HOUR);

        assertThat(get("/q/metrics").asString()).contains("rate_limit_pauses_total{policy=\"changing\"} 1.0\n");
    }

    private static Response call(String policy) {
        return given().header("X-Caller", "alice").get("/" + policy);
    }

    @Path("/")
    public static class Resource {

        @GET
        @Path("token-bucket")
        @RateLimited("token-bucket")
        public String tokenBucket() {
            return "ok";
        }

        @GET
        @Path("leaky-bucket")
        @RateLimited("leaky-bucket")
        public String leakyBucket() {
            return "ok";
        }

        @GET
        @Path("fixed-window")
        @RateLimited("fixed-window")
        public String fixedWindow() {
            return "ok";
        }

        @GET
        @Path("sliding-window")
        @RateLimited("sliding-window")
        public String slidingWindow() {
            return "ok";
        }

        @GET
        @Path("sliding-log")
        @RateLimited("sliding-log")
        public String slidingLog() {
            return "ok";
        }

        @GET
        @Path("concurrency")
        @RateLimited("concurrency")
        public String concurrency() {
            return "ok";
        }
    }
}
