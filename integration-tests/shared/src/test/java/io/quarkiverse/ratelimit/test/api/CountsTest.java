package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** One policy limits the cost of calls, their number, and how many run at the same time. */
@QuarkusTest
class CountsTest {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void settlementChangesOnlyTheCost() {
        RateLimiter llm = llm();
        RateLimitReservation dear = llm.reserve(90_000);
        assertThat(remaining(dear.decision())).isEqualTo(Map.of("tokens", 10_000L, "requests", 4L, "calls", 1L));

        dear.settle(20_000);
        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 80_000L, "requests", 4L, "calls", 2L));

        llm.reserve(1_000).settle(30_000);
        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 50_000L, "requests", 3L, "calls", 2L));

        llm.reserve(1_000).settle(0);
        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 50_000L, "requests", 2L, "calls", 2L));
    }

    @Test
    void cancellationRefundsTheCallToo() {
        RateLimiter llm = llm();
        llm.reserve(90_000).cancel();

        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 100_000L, "requests", 5L, "calls", 2L));
    }

    @Test
    void deniedCallChargesNoLimit() {
        RateLimiter llm = llm();
        RateLimitReservation one = llm.reserve(1_000);
        RateLimitReservation other = llm.reserve(1_000);

        assertThat(llm.reserve(1_000).decision()).returns(false, RateLimitDecision::allowed).returns("calls",
                RateLimitDecision::limit);
        one.settle(1_000);
        other.settle(1_000);
        assertThat(llm.reserve(99_000).decision()).returns(false, RateLimitDecision::allowed).returns("tokens",
                RateLimitDecision::limit);
        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 98_000L, "requests", 3L, "calls", 2L));
    }

    @Test
    void otherInstanceSettlesTheSame() {
        RateLimiter llm = llm();
        String id = llm.reserve(90_000).id();

        llm.reservation(id).settle(10_000);

        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 90_000L, "requests", 4L, "calls", 2L));
    }

    @Test
    void overrideKeepsWhatALimitCounts() {
        String key = UUID.randomUUID().toString();
        RateLimiter llm = limiters.get("llm").forKey(key);
        admin.policy("llm").forKey(key).override(Map.of("requests", Limit.fixedWindow(50, Duration.ofDays(100))));

        llm.reserve(1_000).settle(1_000);

        assertThat(remaining(llm.peek())).isEqualTo(Map.of("tokens", 99_000L, "requests", 49L, "calls", 2L));
    }

    @Test
    void partsOfACallCannotBeCounted() {
        RateLimiter calls = limiters.create("parts", Limit.fixedWindow(3, Duration.ofDays(100)).counts(Counts.CALLS));

        assertThat(calls.forKey("a").tryAcquire(50).remaining()).isEqualTo(2);
        assertThatThrownBy(() -> calls.forKey("a").tryAcquireUpTo(50)).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("counts=calls");
    }

    @Test
    void routeAndAnnotationCountOneCall() {
        Response response = given().get("/whole");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.header("RateLimit").replaceAll(";t=\\d+", ""))
                .isEqualTo("\"whole.calls\";r=9, \"whole.cost\";r=19");
        assertThat(response.header("RateLimit-Policy")).contains("\"whole.calls\";q=10", "\"whole.cost\";q=20");
        assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("9");

        assertThat(remaining(limiters.get("whole").peek())).isEqualTo(Map.of("cost", 19L, "calls", 9L));
    }

    private RateLimiter llm() {
        return limiters.get("llm").forKey(UUID.randomUUID().toString());
    }

    private static Map<String, Long> remaining(RateLimitDecision decision) {
        return decision.limits().stream().collect(Collectors.toMap(LimitState::limit, LimitState::remaining));
    }

    @Path("/whole")
    public static class Whole {

        @GET
        @RateLimited("whole")
        public String whole() {
            return "whole";
        }
    }
}
