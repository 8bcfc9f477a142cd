package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * A call is decided once, on every kind of thread. The only event loop stays free while the call waits, and a denial needs no
 * worker.
 */
@TestMethodOrder(OrderAnnotation.class)
class ThreadKindsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int WORKERS = 16;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(OnEventLoop.class, OnWorker.class, Bean.class, Gate.class))
            .withConfiguration("""
                    quarkus.vertx.event-loops-pool-size=1
                    quarkus.thread-pool.max-threads=%d
                    # calls that wait on a worker do not delay the end
                    quarkus.thread-pool.shutdown-interrupt=10ms
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.delayed.permits=1
                    quarkus.rate-limit.policies.delayed.period=10s
                    quarkus.rate-limit.policies.delayed.burst=3
                    quarkus.rate-limit.policies.delayed.max-wait=10s
                    quarkus.rate-limit.policies.delayed.key=header:X-Key
                    quarkus.rate-limit.policies.thrice.permits=3
                    quarkus.rate-limit.policies.thrice.period=1h
                    quarkus.rate-limit.policies.thrice.key=global
                    """.formatted(WORKERS));

    @Inject
    @RateLimitPolicy("delayed")
    RateLimiter delayed;

    @Inject
    Gate gate;

    /** First, as later tests leave calls on workers. */
    @Test
    @Order(1)
    @Timeout(30)
    void deniedRequestsGetTheirResponseWhileEveryWorkerIsBusy() throws InterruptedException {
        for (int call = 1; call <= 3; call++) {
            get("/worker/thrice").then().statusCode(200);
        }
        List<CompletableFuture<Integer>> blocked = Stream.generate(() -> CompletableFuture
                .supplyAsync(() -> get("/worker/blocked").statusCode(), task -> new Thread(task).start()))
                .limit(WORKERS).toList();
        assertThat(gate.entered.await(10, TimeUnit.SECONDS)).isTrue();

        int denied = get("/worker/thrice").statusCode();

        gate.open.countDown();
        assertThat(denied).isEqualTo(429);
        assertThat(blocked).extracting(CompletableFuture::join).containsOnly(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "event-loop/value", "event-loop/uni", "event-loop/multi", "event-loop/bean-uni",
            "event-loop/bean-multi", "worker/value", "worker/uni", "worker/multi", "worker/bean-value", "worker/bean-uni",
            "worker/bean-multi" })
    void callIsDecidedOnceAndWaitsWithoutTheEventLoop(String kind) throws IOException {
        for (int left = 2; left >= 0; left--) {
            assertThat(given().header("X-Key", kind).get("/" + kind).asString()).contains("called");
            assertThat(delayed.forKey(kind).peek().remaining()).isEqualTo(left);
        }

        try (Socket client = new Socket("127.0.0.1",
                ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class))) {
            client.getOutputStream()
                    .write(("GET /" + kind + " HTTP/1.1\r\nHost: localhost\r\nX-Key: " + kind + "\r\n\r\n").getBytes(US_ASCII));
            await().atMost(SOON).until(() -> delayed.forKey(kind).peek().resetAfter().compareTo(Duration.ofSeconds(30)) > 0);

            assertThat(get("/event-loop/free").asString()).isEqualTo("free");
            assertThat(client.getInputStream().available()).isZero();
        }
    }

    @Test
    void plainBeanMethodIsNotCalledOnTheEventLoop() {
        assertThat(given().header("X-Key", "denied").get("/event-loop/bean-value").statusCode()).isEqualTo(500);
        assertThat(delayed.forKey("denied").peek().remaining()).isEqualTo(3);
    }

    @Path("/event-loop")
    @NonBlocking
    public static class OnEventLoop {

        @Inject
        Bean bean;

        @GET
        @Path("value")
        @RateLimited("delayed")
        public String value() {
            return "called";
        }

        @GET
        @Path("uni")
        @RateLimited("delayed")
        public Uni<String> uni() {
            return Uni.createFrom().item("called");
        }

        @GET
        @Path("multi")
        @RateLimited("delayed")
        public Multi<String> multi() {
            return Multi.createFrom().item("called");
        }

        @GET
        @Path("bean-value")
        public String beanValue() {
            return bean.value();
        }

        @GET
        @Path("bean-uni")
        public Uni<String> beanUni() {
            return bean.uni();
        }

        @GET
        @Path("bean-multi")
        public Multi<String> beanMulti() {
            return bean.multi();
        }

        @GET
        @Path("free")
        public String free() {
            return "free";
        }
    }

    @Path("/worker")
    @Blocking
    public static class OnWorker {

        @Inject
        Bean bean;

        @Inject
        Gate gate;

        @GET
        @Path("thrice")
        @RateLimited("thrice")
        public String thrice() {
            return "limited";
        }

        @GET
        @Path("blocked")
        public String blocked() throws InterruptedException {
            gate.entered.countDown();
            gate.open.await();
            return "released";
        }

        @GET
        @Path("value")
        @RateLimited("delayed")
        public String value() {
            return "called";
        }

        @GET
        @Path("uni")
        @RateLimited("delayed")
        public Uni<String> uni() {
            return Uni.createFrom().item("called");
        }

        @GET
        @Path("multi")
        @RateLimited("delayed")
        public Multi<String> multi() {
            return Multi.createFrom().item("called");
        }

        @GET
        @Path("bean-value")
        public String beanValue() {
            return bean.value();
        }

        @GET
        @Path("bean-uni")
        public Uni<String> beanUni() {
            return bean.uni();
        }

        @GET
        @Path("bean-multi")
        public Multi<String> beanMulti() {
            return bean.multi();
        }
    }

    @ApplicationScoped
    @RateLimited("delayed")
    public static class Bean {

        public String value() {
            return "called";
        }

        public Uni<String> uni() {
            return Uni.createFrom().item("called");
        }

        public Multi<String> multi() {
            return Multi.createFrom().item("called");
        }
    }

    @Singleton
    public static class Gate {
        final CountDownLatch entered = new CountDownLatch(WORKERS);
        final CountDownLatch open = new CountDownLatch(1);
    }
}
