package org.acme.parallel;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.hamcrest.Matchers.is;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.LimitState;
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
        RateLimiter imports = limiters.get("imports");
        RateLimitReservation first = imports.forKey("acme").reserve(1);
        RateLimitReservation second = imports.forKey("acme").reserve(1);
        assertThat(imports.forKey("acme").reserve(1).decision().limit()).isEqualTo("at-once");

        first.settle(1);
        second.cancel();

        assertThat(imports.forKey("acme").peek().limits()).extracting(LimitState::limit, LimitState::remaining)
                .containsExactly(tuple("at-once", 2L), tuple("daily", 99L));
    }

    private static Response report() {
        return given().auth().preemptive().basic("alice", "alice").get("/reports");
    }
}
