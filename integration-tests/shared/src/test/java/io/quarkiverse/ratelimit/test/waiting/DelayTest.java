package io.quarkiverse.ratelimit.test.waiting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;

/** Requests and bean calls that come too early are delayed instead of denied. */
@QuarkusTest
class DelayTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration PACE = Duration.ofMillis(500);

    @Inject
    @RateLimitPolicy("ages")
    RateLimiter ages;

    @Inject
    Beans beans;

    @ParameterizedTest
    @ValueSource(strings = { "uni", "event-loop" })
    void requestsGoAheadOneAfterTheOther(String kind) {
        long before = System.nanoTime();

        List<CompletableFuture<Response>> calls = Stream.generate(() -> CompletableFuture
                .supplyAsync(() -> send("paced-" + kind, kind), task -> new Thread(task).start())).limit(3).toList();

        assertThat(calls).allSatisfy(call -> {
            Response response = call.get(20, TimeUnit.SECONDS);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.header("RateLimit-Policy")).isEqualTo("\"half-second\";q=1");
            assertThat(response.header("RateLimit")).startsWith("\"half-second\";r=0;t=");
        });
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(PACE.multipliedBy(2));
    }

    @Test
    void otherRequestsGoOnWhileManyAreDelayed() throws IOException {
        Socket[] delayed = new Socket[100];
        for (int i = 0; i < delayed.length; i++) {
            ages.forKey("many" + i).tryAcquire();
            delayed[i] = open("/paced/ages", "many" + i);
        }

        for (int i = 0; i < 20; i++) {
            assertThat(given().get("/paced/free").asString()).isEqualTo("free");
        }

        for (Socket client : delayed) {
            assertThat(client.getInputStream().available()).isZero();
            client.close();
        }
    }

    @Test
    void callThatWouldWaitTooLongGetsARetryAfter() {
        assertThat(send("short", "late").statusCode()).isEqualTo(200);

        Response denied = send("short", "late");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(Long.parseLong(denied.header("Retry-After"))).isBetween(2940L, 3000L);
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"ten-minutes\";q=1;w=3600");
        assertThat(denied.header("RateLimit")).startsWith("\"ten-minutes\";r=0;t=");
        assertThat(Long.parseLong(denied.header("RateLimit").replaceAll(".*;t=", "")))
                .as("not later than Retry-After").isLessThanOrEqualTo(Long.parseLong(denied.header("Retry-After")));
    }

    @Test
    void beanMethodsAreDelayedOnTheirOwnThreads() {
        long before = System.nanoTime();

        for (int call = 0; call < 3; call++) {
            assertThat(beans.plain()).isSameAs(Thread.currentThread());
        }

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(PACE.multipliedBy(2));
    }

    @Test
    void unisOfBeanMethodsAreDelayed() {
        long before = System.nanoTime();

        Uni.join().all(beans.uni(), beans.uni(), beans.uni()).andFailFast().await().atMost(SOON);

        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(PACE.multipliedBy(2));
    }

    @Test
    void beanCallsThatWouldWaitTooLongAreDenied() {
        beans.late();

        assertThatThrownBy(() -> beans.late()).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().retryAfter()).isBetween(Duration.ofMinutes(49),
                        Duration.ofMinutes(50)));
    }

    private static Response send(String path, String key) {
        return given().header("X-Key", key).get("/paced/" + path);
    }

    /** Sends a request and does not wait for the response. */
    private static Socket open(String path, String key) throws IOException {
        int port = ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
        Socket socket = new Socket("127.0.0.1", port);
        socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Path("/paced")
    public static class Paced {

        @GET
        @Path("paced-uni")
        @RateLimited("half-second")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @GET
        @Path("paced-event-loop")
        @NonBlocking
        @RateLimited("half-second")
        public String eventLoop() {
            return "event loop";
        }

        @GET
        @Path("ages")
        @RateLimited("ages")
        public String ages() {
            return "ages";
        }

        @GET
        @Path("short")
        @RateLimited("ten-minutes")
        public String late() {
            return "short";
        }

        @GET
        @Path("free")
        @NonBlocking
        public String free() {
            return "free";
        }
    }

    @Singleton
    public static class Beans {

        @RateLimited("paced-bean")
        public Thread plain() {
            return Thread.currentThread();
        }

        @RateLimited("paced-bean")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @RateLimited("late")
        public void late() {
        }
    }
}
