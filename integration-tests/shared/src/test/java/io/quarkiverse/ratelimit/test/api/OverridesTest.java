package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Overrides replace limits for a while, for everybody or for one caller. */
@QuarkusTest
class OverridesTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Limit HUNDRED = Limit.tokenBucket(100).refill(1, HOUR);
    private static final Limit FIVE = Limit.tokenBucket(5).refill(1, HOUR);

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @AfterEach
    void removeAll() {
        for (String policy : List.of("overridden", "everybody", "several")) {
            admin.removeOverride(policy);
            admin.removeOverride(policy, "alice");
        }
        limiters.get("everybody").forKey("anybody").reset();
    }

    @Test
    void overrideForAllKeepsWhatWasUsed() {
        RateLimiter ten = limiters.get("overridden");
        ten.forKey("used").tryAcquire(7);

        admin.override("overridden", HUNDRED, HOUR);
        assertThat(admin.limits("overridden")).isEqualTo(Map.of("default", HUNDRED));
        assertThat(admin.reactive().limits("overridden").await().atMost(HOUR)).isEqualTo(Map.of("default", HUNDRED));
        assertThat(ten.forKey("used").peek()).returns(93L, RateLimitDecision::remaining)
                .returns(100L, RateLimitDecision::permits);
        admin.override("overridden", FIVE, HOUR);
        assertThat(ten.forKey("used").peek()).returns(0L, RateLimitDecision::remaining).returns(false,
                RateLimitDecision::allowed);

        admin.removeOverride("overridden");
        assertThat(ten.forKey("used").peek()).returns(3L, RateLimitDecision::remaining).returns(10L,
                RateLimitDecision::permits);
    }

    @Test
    void reservationIsSettledByTheLimitsInForce() {
        RateLimiter ten = limiters.get("overridden");
        admin.override("overridden", HUNDRED, HOUR);
        RateLimitReservation reservation = ten.forKey("settled").reserve(1);
        admin.removeOverride("overridden");

        assertThat(reservation.settle(4)).returns(10L, RateLimitDecision::permits).returns(6L, RateLimitDecision::remaining);
        RateLimitReservation another = ten.forKey("settled").reserve(3);
        admin.override("overridden", HUNDRED, HOUR);
        assertThat(another.settle(1)).returns(100L, RateLimitDecision::permits).returns(95L, RateLimitDecision::remaining);
    }

    @Test
    void overrideForOneCallerWins() {
        RateLimiter ten = limiters.get("overridden");

        admin.override("overridden", "alice", HUNDRED, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.override("overridden", FIVE, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(5);
        assertThat(admin.limits("overridden", "alice")).containsEntry("default", HUNDRED);
        assertThat(admin.limits("overridden", "bob")).containsEntry("default", FIVE);

        admin.removeOverride("overridden");
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.removeOverride("overridden", "alice");
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(10);
    }

    @Test
    void keyIsOneValueOrAListAndLimitsAreOneOrAMap() {
        RateLimiter alice = limiters.get("overridden").forKey("alice");

        admin.override("overridden", List.of("alice"), HUNDRED);
        assertThat(alice.peek().permits()).isEqualTo(100);
        admin.override("overridden", "alice", Map.of("default", FIVE));
        assertThat(alice.peek().permits()).isEqualTo(5);
        admin.override("overridden", List.of("alice"), HUNDRED, HOUR);
        assertThat(alice.peek().permits()).isEqualTo(100);
        admin.override("overridden", "alice", Map.of("default", FIVE), HOUR);
        assertThat(alice.peek().permits()).isEqualTo(5);
    }

    @Test
    void overrideEndsByItself() {
        long before = System.nanoTime();
        admin.override("overridden", HUNDRED, Duration.ofMillis(1500));
        assertThat(limiters.get("overridden").forKey("ends").peek().permits()).isEqualTo(100);

        await().atMost(Duration.ofSeconds(10)).until(() -> limiters.get("overridden").forKey("ends").peek().permits() == 10);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(1400));
        assertThat(admin.limits("overridden").get("default").permits()).isEqualTo(10);
    }

    @Test
    void otherAlgorithmStartsWithoutUsage() {
        RateLimiter ten = limiters.get("overridden");
        ten.forKey("changed").tryAcquire(7);

        admin.override("overridden", Limit.slidingLog(8, HOUR), HOUR);
        assertThat(ten.forKey("changed").tryAcquire(3).remaining()).isEqualTo(5);

        admin.override("overridden", Limit.slidingLog(9, HOUR), HOUR);
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
                .hasMessageContaining("\"tne\"").hasMessageContaining(String.join(", ", limiters.policies()));
        assertThatThrownBy(() -> admin.removeOverride("tne")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.limits("tne")).isInstanceOf(IllegalArgumentException.class);
        for (Duration ttl : new Duration[] { Duration.ofMillis(999), Duration.ZERO, HOUR.negated(), Duration.ofDays(367) }) {
            assertThatThrownBy(() -> admin.override("overridden", FIVE, ttl))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        }
        assertThatThrownBy(() -> admin.override("overridden", Map.of(), HOUR))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.override("overridden", List.of("a", "b"), Map.of("default", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 part");
        assertThat(admin.limits("overridden").get("default").permits()).isEqualTo(10);
    }

    @Test
    void nullIsReportedAndChangesNothing() {
        Map<String, Limit> noLimit = new HashMap<>();
        noLimit.put("default", null);
        Map<String, ThrowingCallable> mistakes = Map.of(
                "duration is required", () -> admin.override("overridden", "alice", FIVE, null),
                "limit is required", () -> admin.override("overridden", (Limit) null),
                "limits is required", () -> admin.override("overridden", (Map<String, Limit>) null),
                "limit default is required", () -> admin.override("overridden", noLimit, HOUR),
                "each value of the key of policy overridden is required", () -> admin.limits("overridden", (String) null),
                "the key of policy overridden is required", () -> admin.removeOverride("overridden", (List<String>) null));

        mistakes.forEach((message, call) -> assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + ", but is null"));
        assertThat(admin.overrides("overridden")).isEmpty();
    }

    @Test
    void textOfAnOverrideContainsItsDuration() {
        admin.override("overridden", FIVE);
        admin.override("overridden", "alice", FIVE, HOUR);

        assertThat(admin.overrides("overridden")).satisfiesExactly(
                forAll -> assertThat(forAll.toString()).startsWith("RateLimitOverride[key=all, limits={default=Limit[")
                        .endsWith(", until removed]"),
                forAlice -> assertThat(forAlice.toString()).contains("key=principal=alice,").contains(", timeLeft=PT59M59."));
    }

    @Test
    void limitedMethodsFollowWithTheirHeaders() {
        assertThat(get("/overridden").header("RateLimit-Policy")).isEqualTo("\"everybody\";q=10;w=10");

        admin.override("everybody", Limit.fixedWindow(3, Duration.ofDays(100)), HOUR);
        Response allowed = get("/overridden");
        get("/overridden");
        get("/overridden");
        Response denied = get("/overridden");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"everybody\";q=3;w=8640000");
        assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("RateLimit")).startsWith("\"everybody\";r=0;t=");
    }

    @Test
    void overrideForAKeyOfAGlobalPolicyIsForAll() {
        admin.override("everybody", "alice", FIVE, HOUR);

        assertThat(admin.limits("everybody")).isEqualTo(Map.of("default", FIVE));
        assertThat(admin.overrides("everybody")).singleElement().returns(Optional.empty(), RateLimitOverride::key);
        admin.removeOverride("everybody");
        assertThat(admin.overrides("everybody")).isEmpty();
    }

    @Test
    void overrideWithADelayDelaysLimitedMethods() {
        admin.override("everybody", Limit.leakyBucket(1, Duration.ofMillis(700), Duration.ofSeconds(20)), HOUR);
        limiters.get("everybody").forKey("anybody").reset();
        long before = System.nanoTime();

        assertThat(get("/overridden").statusCode()).isEqualTo(200);
        assertThat(get("/overridden").statusCode()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }

    @Test
    void overrideByConcurrencyIsReservedAndNotAcquired() {
        RateLimiter ten = limiters.get("overridden");
        admin.override("overridden", Limit.concurrency(1), HOUR);

        assertThatThrownBy(() -> ten.forKey("runs").tryAcquire()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.forKey("runs").tryAcquire(1, HOUR)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ten.forKey("runs").charge(1)).isInstanceOf(UnsupportedOperationException.class);
        var running = ten.forKey("runs").reserve(1);
        assertThat(ten.forKey("runs").reserve(1).decision().allowed()).isFalse();
        running.cancel();
        var next = ten.forKey("runs").reserve(1);
        assertThat(next.decision().allowed()).isTrue();
        next.cancel();
    }

    @Path("/overridden")
    public static class Resource {
        @GET
        @RateLimited("everybody")
        public String all() {
            return "all";
        }
    }
}
