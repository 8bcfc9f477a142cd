package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Other numbers are in force for a while, for everybody or for one caller. */
class OverridesTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit HUNDRED = Limit.tokenBucket(100).refill(1, HOUR);
    private static final Limit FIVE = Limit.tokenBucket(5).refill(1, HOUR);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.ten.permits=10
                    quarkus.rate-limit.policies.ten.period=1h
                    quarkus.rate-limit.policies.ten.key=principal
                    quarkus.rate-limit.policies.all.permits=10
                    quarkus.rate-limit.policies.all.period=10s
                    quarkus.rate-limit.policies.all.key=global
                    quarkus.rate-limit.policies.several.key=principal
                    quarkus.rate-limit.policies.several.limits.short.permits=3
                    quarkus.rate-limit.policies.several.limits.short.period=1h
                    quarkus.rate-limit.policies.several.limits.long.permits=10
                    quarkus.rate-limit.policies.several.limits.long.period=10h
                    """);

    @Inject
    RateLimiters limiters;

    @AfterEach
    void removeAll() {
        for (String policy : limiters.policies()) {
            limiters.removeOverrideAndAwait(policy);
            limiters.removeOverrideAndAwait(policy, "alice");
        }
        limiters.get("all").resetAndAwait("anybody");
    }

    @Test
    void overrideForAllKeepsWhatWasUsed() {
        RateLimiter ten = limiters.get("ten");
        ten.acquireAndAwait("used", 7);

        limiters.overrideAndAwait("ten", HUNDRED, HOUR);
        assertThat(limiters.limits("ten")).isEqualTo(Map.of("default", HUNDRED));
        assertThat(ten.peekAndAwait("used")).returns(93L, RateLimitDecision::remaining)
                .returns(100L, RateLimitDecision::permits);
        limiters.overrideAndAwait("ten", FIVE, HOUR);
        assertThat(ten.peekAndAwait("used")).returns(0L, RateLimitDecision::remaining).returns(false,
                RateLimitDecision::allowed);

        limiters.removeOverrideAndAwait("ten");
        assertThat(ten.peekAndAwait("used")).returns(3L, RateLimitDecision::remaining).returns(10L,
                RateLimitDecision::permits);
    }

    @Test
    void overrideForOneCallerWins() {
        RateLimiter ten = limiters.get("ten");

        limiters.overrideAndAwait("ten", "alice", HUNDRED, HOUR);
        assertThat(ten.peekAndAwait("alice").permits()).isEqualTo(100);
        assertThat(ten.peekAndAwait("bob").permits()).isEqualTo(10);
        limiters.overrideAndAwait("ten", FIVE, HOUR);
        assertThat(ten.peekAndAwait("alice").permits()).isEqualTo(100);
        assertThat(ten.peekAndAwait("bob").permits()).isEqualTo(5);
        assertThat(limiters.limits("ten", CallerKey.of("alice"))).containsEntry("default", HUNDRED);
        assertThat(limiters.limits("ten", CallerKey.of("bob"))).containsEntry("default", FIVE);

        limiters.removeOverrideAndAwait("ten");
        assertThat(ten.peekAndAwait("alice").permits()).isEqualTo(100);
        assertThat(ten.peekAndAwait("bob").permits()).isEqualTo(10);
        limiters.removeOverrideAndAwait("ten", "alice");
        assertThat(ten.peekAndAwait("alice").permits()).isEqualTo(10);
    }

    @Test
    void overrideEndsByItself() {
        long before = System.nanoTime();
        limiters.overrideAndAwait("ten", HUNDRED, Duration.ofMillis(1500));
        assertThat(limiters.get("ten").peekAndAwait("ends").permits()).isEqualTo(100);

        await().atMost(Duration.ofSeconds(10)).until(() -> limiters.get("ten").peekAndAwait("ends").permits() == 10);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(1400));
        assertThat(limiters.limits("ten").get("default").permits()).isEqualTo(10);
    }

    @Test
    void otherAlgorithmStartsAfresh() {
        RateLimiter ten = limiters.get("ten");
        ten.acquireAndAwait("afresh", 7);

        limiters.overrideAndAwait("ten", Limit.slidingLog(8, HOUR), HOUR);
        assertThat(ten.acquireAndAwait("afresh", 3).remaining()).isEqualTo(5);

        limiters.overrideAndAwait("ten", Limit.slidingLog(9, HOUR), HOUR);
        assertThat(ten.peekAndAwait("afresh").remaining()).isEqualTo(6);
    }

    @Test
    void limitsAreOverriddenByTheirNames() {
        RateLimiter several = limiters.get("several");

        limiters.overrideAndAwait("several", Map.of("short", FIVE), HOUR);
        assertThat(several.peekAndAwait("names").limits()).extracting("permits").containsExactly(10L, 5L);
        limiters.overrideAndAwait("several", CallerKey.of("alice"), Map.of("long", HUNDRED), HOUR);

        assertThat(several.peekAndAwait("alice").limits()).extracting("permits").containsExactly(100L, 5L);
        assertThatThrownBy(() -> limiters.overrideAndAwait("several", FIVE, HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[long, short]");
        assertThatThrownBy(() -> limiters.overrideAndAwait("several", Map.of("lnog", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("\"lnog\"");
    }

    @Test
    void mistakesAreSaid() {
        assertThatThrownBy(() -> limiters.overrideAndAwait("tne", FIVE, HOUR)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"tne\"").hasMessageContaining("all, several, ten");
        assertThatThrownBy(() -> limiters.removeOverrideAndAwait("tne")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limiters.limits("tne")).isInstanceOf(IllegalArgumentException.class);
        for (Duration ttl : new Duration[] { Duration.ofMillis(999), Duration.ZERO, HOUR.negated(), Duration.ofDays(367) }) {
            assertThatThrownBy(() -> limiters.overrideAndAwait("ten", FIVE, ttl))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        }
        assertThatThrownBy(() -> limiters.overrideAndAwait("ten", Map.of(), HOUR))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limiters.overrideAndAwait("ten", CallerKey.of("a", "b"), FIVE, HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 part");
        assertThat(limiters.limits("ten").get("default").permits()).isEqualTo(10);
    }

    @Test
    void guardedMethodsFollowWithTheirHeaders() {
        assertThat(get("/overridden").header("RateLimit-Policy")).isEqualTo("\"all\";q=10;w=10");

        limiters.overrideAndAwait("all", Limit.fixedWindow(3, Duration.ofDays(100)), HOUR);
        Response admitted = get("/overridden");
        get("/overridden");
        get("/overridden");
        Response refused = get("/overridden");

        assertThat(admitted.header("RateLimit-Policy")).isEqualTo("\"all\";q=3;w=8640000");
        assertThat(admitted.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.header("RateLimit")).startsWith("\"all\";r=0;t=");
    }

    @Test
    void overrideThatHoldsBackHoldsBackGuardedMethods() {
        limiters.overrideAndAwait("all", Limit.leakyBucket(1, Duration.ofMillis(700), Duration.ofSeconds(20)), HOUR);
        limiters.get("all").resetAndAwait("anybody");
        long before = System.nanoTime();

        assertThat(get("/overridden").statusCode()).isEqualTo(200);
        assertThat(get("/overridden").statusCode()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }

    @Test
    void overrideByConcurrencyIsReservedAndNotAcquired() {
        RateLimiter ten = limiters.get("ten");
        limiters.overrideAndAwait("ten", Limit.concurrency(1), HOUR);

        assertThatThrownBy(() -> ten.acquireAndAwait("runs")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.acquireAndAwait("runs", 1, HOUR)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.chargeAndAwait("runs", 1)).isInstanceOf(UnsupportedOperationException.class);
        var running = ten.reserveAndAwait("runs", 1);
        assertThat(ten.reserveAndAwait("runs", 1).decision().allowed()).isFalse();
        running.cancelAndAwait();
        assertThat(ten.reserveAndAwait("runs", 1).decision().allowed()).isTrue();
    }

    @Path("/overridden")
    public static class Resource {
        @GET
        @RateLimited("all")
        public String all() {
            return "all";
        }
    }
}
