package io.quarkiverse.ratelimit.test.prefetch;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** An application whose policies acquire permits ahead. */
@QuarkusTest
class PrefetchTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    private String caller;

    @Path("/hot")
    public static class Hot {

        @GET
        @RateLimited("hot")
        public String get() {
            return "hot";
        }

        @GET
        @Path("/errors")
        @RateLimited("prefetched-errors")
        public String errors() {
            return "no error";
        }
    }

    @BeforeEach
    void newCaller() {
        caller = UUID.randomUUID().toString();
    }

    @Test
    void headersShowEachCall() {
        List<Integer> remaining = new ArrayList<>();
        for (int call = 0; call < 40; call++) {
            remaining.add(Integer.valueOf(
                    given().queryParam("caller", caller).get("/hot").then().statusCode(200).extract()
                            .header("X-RateLimit-Remaining")));
        }

        assertThat(remaining).startsWith(999).endsWith(960).doesNotHaveDuplicates();
        assertThat(limiters.get("hot").forKey(caller).tryAcquire()).returns(Source.PREFETCHED, RateLimitDecision::source)
                .returns(959L, RateLimitDecision::remaining);
    }

    @Test
    void responsesThatDoNotCountAreRefunded() {
        for (int call = 0; call < 40; call++) {
            given().queryParam("caller", caller).get("/hot/errors").then().statusCode(200);
        }

        RateLimiter limiter = limiters.get("prefetched-errors").forKey(caller);
        await().atMost(SOON).until(() -> limiter.peek().remaining() == 1_000);
    }

    @Test
    void overrideAppliesToTheNextCall() {
        RateLimiter limiter = limiters.get("hot").forKey(caller);
        int used = prefetch(limiter);

        admin.policy("hot").forKey(caller).override(Limit.tokenBucket(100).refill(100, Duration.ofDays(10)),
                Duration.ofMinutes(1));

        assertThat(limiter.tryAcquire().permits()).isEqualTo(100);
        await().atMost(SOON).until(() -> limiter.peek().remaining() == 100 - used - 1);
    }

    @Test
    void reservationIsCanceledByItsId() {
        RateLimiter limiter = limiters.get("hot").forKey(caller);
        int used = prefetch(limiter);
        RateLimitReservation reservation = limiter.reserve(1);

        limiter.reservation(reservation.id()).cancel();
        reservation.cancel();

        assertThat(reservation.decision().source()).isEqualTo(Source.PREFETCHED);
        assertThat(limiter.peek().remaining()).isEqualTo(1_000 - used);
    }

    /** Calls until the instance holds permits, and returns how often. */
    private static int prefetch(RateLimiter limiter) {
        return IntStream.rangeClosed(1, 100).filter(call -> limiter.tryAcquire().source() == Source.PREFETCHED).findFirst()
                .orElseThrow();
    }
}
