package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

class NoWorkerNeededTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class, Gate.class))
            .withConfiguration(Limits.threeAnHour("blocking", "global"))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", "1");

    @Inject
    Gate gate;

    @Test
    @Timeout(30)
    void deniedRequestsGetTheirResponseWhileEveryWorkerIsBusy() throws InterruptedException {
        for (int call = 1; call <= 3; call++) {
            get("/blocking").then().statusCode(200);
        }
        CompletableFuture<Integer> blocked = CompletableFuture.supplyAsync(() -> get("/blocking/blocked").statusCode());
        assertThat(gate.entered.await(10, TimeUnit.SECONDS)).isTrue();

        int denied = get("/blocking").statusCode();

        gate.open.countDown();
        assertThat(denied).isEqualTo(429);
        assertThat(blocked.join()).isEqualTo(200);
    }

    @Path("/blocking")
    public static class Resource {
        @Inject
        Gate gate;

        @GET
        @RateLimited("blocking")
        public String limited() {
            return "limited";
        }

        @GET
        @Path("blocked")
        public String blocked() throws InterruptedException {
            gate.entered.countDown();
            gate.open.await();
            return "released";
        }
    }

    @Singleton
    public static class Gate {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);
    }
}
