package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.mutiny.Uni;

/** Where arguments count, a request holds its permits while it runs, and is delayed like any other. */
@QuarkusTest
class ArgumentsWhileRunningTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    Gate gate;

    @Inject
    @RateLimitPolicy("running")
    RateLimiter running;

    @Test
    void requestHoldsItsCostUntilItEnds() {
        CompletableFuture<Integer> worker = CompletableFuture
                .supplyAsync(() -> get("/running-arguments/plain/a?cost=2").statusCode());
        await().atMost(SOON).until(() -> free("a") == 1);
        CompletableFuture<Integer> loop = CompletableFuture
                .supplyAsync(() -> get("/running-arguments/uni/a?cost=1").statusCode());
        await().atMost(SOON).until(() -> free("a") == 0);

        Response denied = get("/running-arguments/plain/a?cost=1");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("RateLimit")).isEqualTo("\"running\";r=0");
        assertThat(free("b")).isEqualTo(3);

        gate.open();
        assertThat(worker).succeedsWithin(SOON).isEqualTo(200);
        assertThat(loop).succeedsWithin(SOON).isEqualTo(200);
        await().atMost(SOON).until(() -> free("a") == 3);
    }

    @Test
    void permitsComeBackFromWorkThatFails() {
        for (int call = 0; call < 3; call++) {
            assertThat(get("/running-arguments/fails/c?cost=3").statusCode()).isEqualTo(500);
            await().atMost(SOON).until(() -> free("c") == 3);
        }
    }

    @Test
    void requestThatComesTooEarlyIsDelayed() {
        long began = System.nanoTime();
        assertThat(get("/running-arguments/paced/d").statusCode()).isEqualTo(200);

        assertThat(get("/running-arguments/paced/d").statusCode()).isEqualTo(200);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(990));
        assertThat(get("/running-arguments/paced/e").statusCode()).isEqualTo(200);
    }

    private long free(String key) {
        return running.forKey(key).peek().remaining();
    }

    @Path("/running-arguments")
    public static class Work {

        @Inject
        Gate gate;

        @GET
        @Path("plain/{user}")
        @RateLimited("running")
        public String plain(@RateLimitKey @PathParam("user") String user, @RateLimitCost @QueryParam("cost") int cost)
                throws InterruptedException {
            gate.blocking.await(30, TimeUnit.SECONDS);
            return user;
        }

        @GET
        @Path("uni/{user}")
        @RateLimited("running")
        public Uni<String> uni(@RateLimitKey @PathParam("user") String user, @RateLimitCost @QueryParam("cost") int cost) {
            return Uni.createFrom().completionStage(gate.open);
        }

        @GET
        @Path("fails/{user}")
        @RateLimited("running")
        public String fails(@RateLimitKey @PathParam("user") String user, @RateLimitCost @QueryParam("cost") int cost) {
            throw new IllegalStateException("fails");
        }

        @GET
        @Path("paced/{user}")
        @RateLimited("paced-arguments")
        public String paced(@RateLimitKey @PathParam("user") String user) {
            return user;
        }
    }

    /** Keeps work going until it is opened. */
    @Singleton
    public static class Gate {
        final CountDownLatch blocking = new CountDownLatch(1);
        final CompletableFuture<String> open = new CompletableFuture<>();

        void open() {
            blocking.countDown();
            open.complete("done");
        }
    }
}
