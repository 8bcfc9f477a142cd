package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
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

    @Inject
    RateLimitAdmin admin;

    @AfterEach
    void removeAll() {
        for (String policy : limiters.policies()) {
            admin.removeOverride(policy);
            admin.removeOverride(policy, "alice");
        }
        limiters.get("all").forKey("anybody").reset();
    }

    @Test
    void overrideForAllKeepsWhatWasUsed() {
        RateLimiter ten = limiters.get("ten");
        ten.forKey("used").tryAcquire(7);

        admin.override("ten", HUNDRED, HOUR);
        assertThat(admin.limits("ten")).isEqualTo(Map.of("default", HUNDRED));
        assertThat(ten.forKey("used").peek()).returns(93L, RateLimitDecision::remaining)
                .returns(100L, RateLimitDecision::permits);
        admin.override("ten", FIVE, HOUR);
        assertThat(ten.forKey("used").peek()).returns(0L, RateLimitDecision::remaining).returns(false,
                RateLimitDecision::allowed);

        admin.removeOverride("ten");
        assertThat(ten.forKey("used").peek()).returns(3L, RateLimitDecision::remaining).returns(10L,
                RateLimitDecision::permits);
    }

    @Test
    void overrideForOneCallerWins() {
        RateLimiter ten = limiters.get("ten");

        admin.override("ten", "alice", HUNDRED, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.override("ten", FIVE, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(5);
        assertThat(admin.limits("ten", "alice")).containsEntry("default", HUNDRED);
        assertThat(admin.limits("ten", "bob")).containsEntry("default", FIVE);

        admin.removeOverride("ten");
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.removeOverride("ten", "alice");
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(10);
    }

    @Test
    void overrideEndsByItself() {
        long before = System.nanoTime();
        admin.override("ten", HUNDRED, Duration.ofMillis(1500));
        assertThat(limiters.get("ten").forKey("ends").peek().permits()).isEqualTo(100);

        await().atMost(Duration.ofSeconds(10)).until(() -> limiters.get("ten").forKey("ends").peek().permits() == 10);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(1400));
        assertThat(admin.limits("ten").get("default").permits()).isEqualTo(10);
    }

    @Test
    void otherAlgorithmStartsWithoutUsage() {
        RateLimiter ten = limiters.get("ten");
        ten.forKey("changed").tryAcquire(7);

        admin.override("ten", Limit.slidingLog(8, HOUR), HOUR);
        assertThat(ten.forKey("changed").tryAcquire(3).remaining()).isEqualTo(5);

        admin.override("ten", Limit.slidingLog(9, HOUR), HOUR);
        assertThat(ten.forKey("changed").peek().remaining()).isEqualTo(6);
    }

    @Test
    void limitsAreOverriddenByTheirNames() {
        RateLimiter several = limiters.get("several");

        admin.override("several", Map.of("short", FIVE), HOUR);
        assertThat(several.forKey("names").peek().limits()).extracting("permits").containsExactly(10L, 5L);
        admin.override("several", List.of("alice"), Map.of("long", HUNDRED), HOUR);

        assertThat(several.forKey("alice").peek().limits()).extracting("permits").containsExactly(100L, 5L);
        assertThatThrownBy(() -> admin.override("several", FIVE, HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[long, short]");
        assertThatThrownBy(() -> admin.override("several", Map.of("lnog", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("\"lnog\"");
    }

    @Test
    void mistakesAreReported() {
        assertThatThrownBy(() -> admin.override("tne", FIVE, HOUR)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"tne\"").hasMessageContaining("all, several, ten");
        assertThatThrownBy(() -> admin.removeOverride("tne")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.limits("tne")).isInstanceOf(IllegalArgumentException.class);
        for (Duration ttl : new Duration[] { Duration.ofMillis(999), Duration.ZERO, HOUR.negated(), Duration.ofDays(367) }) {
            assertThatThrownBy(() -> admin.override("ten", FIVE, ttl))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        }
        assertThatThrownBy(() -> admin.override("ten", Map.of(), HOUR))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.override("ten", List.of("a", "b"), Map.of("default", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 part");
        assertThat(admin.limits("ten").get("default").permits()).isEqualTo(10);
    }

    @Test
    void nullIsReportedAndChangesNothing() {
        Map<String, Limit> noLimit = new HashMap<>();
        noLimit.put("default", null);
        Map<String, ThrowingCallable> mistakes = Map.of(
                "duration is required", () -> admin.override("ten", "alice", FIVE, null),
                "limit is required", () -> admin.override("ten", (Limit) null),
                "limits is required", () -> admin.override("ten", (Map<String, Limit>) null),
                "limit default is required", () -> admin.override("ten", noLimit, HOUR),
                "each value of the key of policy ten is required", () -> admin.limits("ten", (String) null),
                "the key of policy ten is required", () -> admin.removeOverride("ten", (List<String>) null));

        mistakes.forEach((message, call) -> assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + ", but is null"));
        assertThat(admin.overrides("ten")).isEmpty();
    }

    @Test
    void textOfAnOverrideContainsItsDuration() {
        admin.override("ten", FIVE);
        admin.override("ten", "alice", FIVE, HOUR);

        assertThat(admin.overrides("ten")).satisfiesExactly(
                forAll -> assertThat(forAll.toString()).startsWith("RateLimitOverride[key=all, limits={default=Limit[")
                        .endsWith(", until removed]"),
                forAlice -> assertThat(forAlice.toString()).contains("key=principal=alice,").contains(", timeLeft=PT59M59."));
    }

    @Test
    void limitedMethodsFollowWithTheirHeaders() {
        assertThat(get("/overridden").header("RateLimit-Policy")).isEqualTo("\"all\";q=10;w=10");

        admin.override("all", Limit.fixedWindow(3, Duration.ofDays(100)), HOUR);
        Response allowed = get("/overridden");
        get("/overridden");
        get("/overridden");
        Response denied = get("/overridden");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"all\";q=3;w=8640000");
        assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("RateLimit")).startsWith("\"all\";r=0;t=");
    }

    @Test
    void overrideWithADelayDelaysLimitedMethods() {
        admin.override("all", Limit.leakyBucket(1, Duration.ofMillis(700), Duration.ofSeconds(20)), HOUR);
        limiters.get("all").forKey("anybody").reset();
        long before = System.nanoTime();

        assertThat(get("/overridden").statusCode()).isEqualTo(200);
        assertThat(get("/overridden").statusCode()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }

    @Test
    void overrideByConcurrencyIsReservedAndNotAcquired() {
        RateLimiter ten = limiters.get("ten");
        admin.override("ten", Limit.concurrency(1), HOUR);

        assertThatThrownBy(() -> ten.forKey("runs").tryAcquire()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.forKey("runs").tryAcquire(1, HOUR)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.forKey("runs").charge(1)).isInstanceOf(UnsupportedOperationException.class);
        var running = ten.forKey("runs").reserve(1);
        assertThat(ten.forKey("runs").reserve(1).decision().allowed()).isFalse();
        running.cancel();
        assertThat(ten.forKey("runs").reserve(1).decision().allowed()).isTrue();
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
