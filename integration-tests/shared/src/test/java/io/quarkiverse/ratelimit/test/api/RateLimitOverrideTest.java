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
class RateLimitOverrideTest {

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
            admin.policy(policy).removeOverride();
        }
        for (String policy : List.of("overridden", "several")) {
            admin.policy(policy).forKey("alice").removeOverride();
        }
        limiters.get("everybody").forKey("anybody").reset();
    }

    @Test
    void overrideForAllKeepsWhatWasUsed() {
        RateLimiter ten = limiters.get("overridden");
        ten.forKey("used").tryAcquire(7);

        admin.policy("overridden").override(HUNDRED, HOUR);
        assertThat(admin.policy("overridden").limits()).isEqualTo(Map.of("default", HUNDRED));
        assertThat(admin.reactive().policy("overridden").limits().await().atMost(HOUR)).isEqualTo(Map.of("default", HUNDRED));
        assertThat(ten.forKey("used").peek()).returns(93L, RateLimitDecision::remaining)
                .returns(100L, RateLimitDecision::permits);
        admin.policy("overridden").override(FIVE, HOUR);
        assertThat(ten.forKey("used").peek()).returns(0L, RateLimitDecision::remaining).returns(false,
                RateLimitDecision::allowed);

        admin.policy("overridden").removeOverride();
        assertThat(ten.forKey("used").peek()).returns(3L, RateLimitDecision::remaining).returns(10L,
                RateLimitDecision::permits);
    }

    @Test
    void reservationIsSettledByTheLimitsInForce() {
        RateLimiter ten = limiters.get("overridden");
        admin.policy("overridden").override(HUNDRED, HOUR);
        RateLimitReservation reservation = ten.forKey("settled").reserve(1);
        admin.policy("overridden").removeOverride();

        assertThat(reservation.settle(4)).returns(10L, RateLimitDecision::permits).returns(6L, RateLimitDecision::remaining);
        RateLimitReservation another = ten.forKey("settled").reserve(3);
        admin.policy("overridden").override(HUNDRED, HOUR);
        assertThat(another.settle(1)).returns(100L, RateLimitDecision::permits).returns(95L, RateLimitDecision::remaining);
    }

    @Test
    void overrideForOneCallerWins() {
        RateLimiter ten = limiters.get("overridden");

        admin.policy("overridden").forKey("alice").override(HUNDRED, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.policy("overridden").override(FIVE, HOUR);
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(5);
        assertThat(admin.policy("overridden").forKey("alice").limits()).containsEntry("default", HUNDRED);
        assertThat(admin.policy("overridden").forKey("bob").limits()).containsEntry("default", FIVE);

        admin.policy("overridden").removeOverride();
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(100);
        assertThat(ten.forKey("bob").peek().permits()).isEqualTo(10);
        admin.policy("overridden").forKey("alice").removeOverride();
        assertThat(ten.forKey("alice").peek().permits()).isEqualTo(10);
    }

    @Test
    void keyIsOneValueOrAListAndLimitsAreOneOrAMap() {
        RateLimiter alice = limiters.get("overridden").forKey("alice");

        admin.policy("overridden").forKey("alice").override(HUNDRED);
        assertThat(alice.peek().permits()).isEqualTo(100);
        admin.policy("overridden").forKey("alice").override(Map.of("default", FIVE));
        assertThat(alice.peek().permits()).isEqualTo(5);
        admin.policy("overridden").forKey("alice").override(HUNDRED, HOUR);
        assertThat(alice.peek().permits()).isEqualTo(100);
        admin.policy("overridden").forKey("alice").override(Map.of("default", FIVE), HOUR);
        assertThat(alice.peek().permits()).isEqualTo(5);
    }

    @Test
    void overrideEndsByItself() {
        long before = System.nanoTime();
        admin.policy("overridden").override(HUNDRED, Duration.ofMillis(1500));
        assertThat(limiters.get("overridden").forKey("ends").peek().permits()).isEqualTo(100);

        await().atMost(Duration.ofSeconds(10)).until(() -> limiters.get("overridden").forKey("ends").peek().permits() == 10);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(1400));
        assertThat(admin.policy("overridden").limits().get("default").permits()).isEqualTo(10);
    }

    @Test
    void otherAlgorithmStartsWithoutUsage() {
        RateLimiter ten = limiters.get("overridden");
        ten.forKey("changed").tryAcquire(7);

        admin.policy("overridden").override(Limit.slidingLog(8, HOUR), HOUR);
        assertThat(ten.forKey("changed").tryAcquire(3).remaining()).isEqualTo(5);

        admin.policy("overridden").override(Limit.slidingLog(9, HOUR), HOUR);
        assertThat(ten.forKey("changed").peek().remaining()).isEqualTo(6);
    }

    @Test
    void limitsAreOverriddenByTheirNames() {
        RateLimiter several = limiters.get("several");

        admin.policy("several").override(Map.of("short", FIVE), HOUR);
        assertThat(several.forKey("names").peek().limits()).extracting("permits").containsExactly(10L, 5L);
        admin.policy("several").forKey("alice").override(Map.of("long", HUNDRED), HOUR);

        assertThat(several.forKey("alice").peek().limits()).extracting("permits").containsExactly(100L, 5L);
        assertThatThrownBy(() -> admin.policy("several").override(FIVE, HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("[long, short]");
        assertThatThrownBy(() -> admin.policy("several").override(Map.of("lnog", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("\"lnog\"");
    }

    @Test
    void mistakesAreReported() {
        assertThatThrownBy(() -> admin.policy("tne").override(FIVE, HOUR)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"tne\"").hasMessageContaining(String.join(", ", limiters.policies()));
        assertThatThrownBy(() -> admin.policy("tne").removeOverride()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.policy("tne").limits()).isInstanceOf(IllegalArgumentException.class);
        for (Duration ttl : new Duration[] { Duration.ofMillis(999), Duration.ZERO, HOUR.negated(), Duration.ofDays(367) }) {
            assertThatThrownBy(() -> admin.policy("overridden").override(FIVE, ttl))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 s to 366 days");
        }
        assertThatThrownBy(() -> admin.policy("overridden").override(Map.of(), HOUR))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.policy("overridden").forKey("a", "b").override(Map.of("default", FIVE), HOUR))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 part");
        assertThat(admin.policy("overridden").limits().get("default").permits()).isEqualTo(10);
    }

    @Test
    void nullIsReportedAndChangesNothing() {
        Map<String, Limit> noLimit = new HashMap<>();
        noLimit.put("default", null);
        Map<String, ThrowingCallable> mistakes = Map.of(
                "duration is required", () -> admin.policy("overridden").forKey("alice").override(FIVE, null),
                "limit is required", () -> admin.policy("overridden").override((Limit) null),
                "limits is required", () -> admin.policy("overridden").override((Map<String, Limit>) null),
                "limit default is required", () -> admin.policy("overridden").override(noLimit, HOUR),
                "each value of the key of policy overridden is required",
                () -> admin.policy("overridden").forKey((String) null),
                "the key of policy overridden is required", () -> admin.policy("overridden").forKey((String[]) null));

        mistakes.forEach((message, call) -> assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message + ", but is null"));
        assertThat(admin.policy("overridden").overrides()).isEmpty();
    }

    @Test
    void textOfAnOverrideContainsItsDuration() {
        admin.policy("overridden").override(FIVE);
        admin.policy("overridden").forKey("alice").override(FIVE, HOUR);

        assertThat(admin.policy("overridden").overrides()).satisfiesExactly(
                forAll -> assertThat(forAll.toString()).startsWith("RateLimitOverride[key=all, limits={default=Limit[")
                        .endsWith(", until removed]"),
                forAlice -> assertThat(forAlice.toString()).contains("key=principal=alice,")
                        .containsPattern(", timeLeft=PT59M[0-9.]+S"));
    }

    @Test
    void limitedMethodsFollowWithTheirHeaders() {
        assertThat(get("/overridden").header("RateLimit-Policy")).isEqualTo("\"everybody\";q=10;w=10");

        admin.policy("everybody").override(Limit.fixedWindow(3, Duration.ofDays(100)), HOUR);
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
        admin.policy("everybody").forKey().override(FIVE, HOUR);

        assertThat(admin.policy("everybody").limits()).isEqualTo(Map.of("default", FIVE));
        assertThat(admin.policy("everybody").overrides()).singleElement().returns(Optional.empty(), RateLimitOverride::key);
        admin.policy("everybody").removeOverride();
        assertThat(admin.policy("everybody").overrides()).isEmpty();
    }

    @Test
    void overrideWithADelayDelaysLimitedMethods() {
        admin.policy("everybody").override(Limit.leakyBucket(1, Duration.ofMillis(700), Duration.ofSeconds(20)), HOUR);
        limiters.get("everybody").forKey("anybody").reset();
        long before = System.nanoTime();

        assertThat(get("/overridden").statusCode()).isEqualTo(200);
        assertThat(get("/overridden").statusCode()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
    }

    @Test
    void overrideByConcurrencyIsReservedAndNotAcquired() {
        RateLimiter ten = limiters.get("overridden");
        admin.policy("overridden").override(Limit.concurrency(1), HOUR);

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
