package org.acme.parallel;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.mutiny.Uni;

/** Calls hold their permits while they run. */
@QuarkusTest
class ParallelTest extends FreshLimits {

    @Inject
    Printery printery;

    @Inject
    Exports exports;

    @Inject
    RateLimiters limiters;

    @Test
    void thirdReportAtTheSameTimeIsDenied() throws InterruptedException {
        List<CompletableFuture<Response>> running = List.of(CompletableFuture.supplyAsync(ParallelTest::report),
                CompletableFuture.supplyAsync(ParallelTest::report));
        assertThat(printery.begun.tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();

        Response denied = report();
        printery.mayEnd.release(2);
        running.forEach(report -> report.join().then().statusCode(200)
                .header("RateLimit-Policy", is("\"reports\";q=2;qu=\"concurrent-requests\"")));

        denied.then().statusCode(429).header("Retry-After", is("1")).header("RateLimit", is("\"reports\";r=0"))
                .body("'violated-policies'", is(List.of("reports")));
        printery.mayEnd.release();
        report().then().statusCode(200).header("RateLimit", is("\"reports\";r=1"));
    }

    @Test
    void customerHasOneExportAtATime() {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> first = exports.export("acme", Uni.createFrom().completionStage(() -> {
            begun.complete(null);
            return work;
        })).subscribeAsCompletionStage();
        begun.join();

        assertThatThrownBy(() -> exports.export("acme", Uni.createFrom().item("second")).await().indefinitely())
                .isInstanceOf(RateLimitExceededException.class);
        work.complete("first");

        assertThat(first.join()).isEqualTo("first");
        assertThat(exports.export("acme", Uni.createFrom().item("third")).await().indefinitely()).isEqualTo("third");
    }

    @Test
    void concurrencyCannotBeAcquired() {
        assertThatThrownBy(() -> limiters.get("exports-at-once").forKey("acme").tryAcquire())
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("reserve");
    }

    @Test
    void rateIsChargedAndConcurrencyIsReleased() {
        RateLimiter imports = limiters.get("imports").forKey("203.0.113.7");
        RateLimitReservation first = imports.reserve(1);
        RateLimitReservation second = imports.reserve(1);
        assertThat(imports.reserve(1).decision().limit()).isEqualTo("at-once");

        first.settle(1);
        second.cancel();

        assertThat(imports.peek().limits()).extracting(LimitState::limit, LimitState::remaining)
                .containsExactly(tuple("at-once", 2L), tuple("daily", 999L));
    }

    @Test
    void importCostsItsRowsAndOneOfTwoPlaces() {
        rows(600).then().statusCode(200).header("RateLimit", startsWith("\"imports.at-once\";r=1, \"imports.daily\";r=400"));

        rows(600).then().statusCode(429).body("'violated-policies'", is(List.of("imports.daily")));
    }

    @Test
    void withoutCountsCallsAnImportNeedsAPlaceForEachRow() {
        Map<String, Limit> limits = Map.of("at-once", Limit.concurrency(2),
                "daily", Limit.tokenBucket(1000).refill(1000, Duration.ofDays(1)));

        assertThat(limiters.create("imports-by-row", limits).forKey("acme").reserve(600).decision().denialReason())
                .contains(DenialReason.COST_ABOVE_CAPACITY);
    }

    private static Response rows(int rows) {
        return given().formParam("rows", rows).post("/imports");
    }

    private static Response report() {
        return given().auth().preemptive().basic("alice", "alice").get("/reports");
    }
}
