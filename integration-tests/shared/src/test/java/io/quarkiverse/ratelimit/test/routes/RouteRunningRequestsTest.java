package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Requests to limited paths run up to the limit at once, until the response ends or the client leaves. */
@QuarkusTest
class RouteRunningRequestsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    @RateLimitPolicy("one-request")
    RateLimiter one;

    @Inject
    @RateLimitPolicy("late-request")
    RateLimiter paced;

    @Inject
    Served served;

    @AfterEach
    void everythingIsReleased() {
        await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
    }

    @Test
    void oneRunsAtOnce() throws Exception {
        try (Socket first = Wire.send("GET", "/served/run/until-ended", "")) {
            RoutingContext running = served.waiting.get();

            assertThat(given().get("/served/run/at-once").statusCode()).isEqualTo(429);

            running.vertx().runOnContext(ignored -> running.end("done"));
            assertThat(new String(first.getInputStream().readAllBytes())).endsWith("done");
        }
    }

    @Test
    void clientMaySendAgainAsSoonAsItHasTheResponse() throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + Wire.port() + "/served/run/at-once"))
                .build();

        // an event loop that changes to its own connection to Redis may overtake one release
        await().atMost(SOON).untilAsserted(() -> {
            for (int call = 0; call < 200; call++) {
                assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "/served/run/waits", "/served/run/streams" })
    void clientThatLeavesReleasesItsPermit(String path) throws IOException {
        try (Socket client = Wire.send("GET", path, "")) {
            await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        }

        await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
    }

    @Test
    void clientThatLeavesEndsNoWorkOfAResourceMethod() throws Exception {
        try (Socket client = Wire.send("GET", "/served/run/worker", "")) {
            served.working.await();
        }
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> !one.forKey("any").peek().allowed());

        served.gate.countDown();
    }

    @Test
    void clientThatLeavesBeforeTheEndOfItsBodyReleasesItsPermit() throws IOException {
        try (Socket client = Wire.send("POST", "/served/run/body", "", "Content-Length: 100")) {
            await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        }
    }

    @Test
    void slowDownloadHoldsItsPermitBeyondTheLeaseTime() throws IOException {
        try (Socket client = Wire.send("GET", "/served/run/file", "")) {
            await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());

            await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        }
    }

    @Test
    void requestsAreDelayed() {
        for (int call = 0; call < 10; call++) {
            assertThat(given().get("/served/soon").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void clientThatLeavesFreesItsPlace() throws IOException {
        given().get("/served/later").then().statusCode(200);
        Duration next = paced.forKey("any").peek().resetAfter();
        try (Socket client = Wire.send("GET", "/served/later", "")) {
            await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(next.plusMinutes(30)) > 0);
        }

        await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(next) <= 0);
        assertThat(served.later).isEqualTo(1);
    }

    @Singleton
    public static class Served {

        final CompletableFuture<RoutingContext> waiting = new CompletableFuture<>();
        final CountDownLatch working = new CountDownLatch(1);
        final CountDownLatch gate = new CountDownLatch(1);
        volatile int later;

        void serve(@Observes Router router) {
            router.get("/served/run/until-ended").handler(waiting::complete);
            router.get("/served/run/waits").handler(context -> {
            });
            router.get("/served/run/at-once").handler(context -> context.end("done"));
            router.get("/served/run/streams").handler(context -> context.response().setChunked(true).write("begun"));
            router.get("/served/run/file").handler(context -> context.response().sendFile(large()));
            router.get("/served/soon").handler(context -> context.end("done"));
            router.get("/served/later").handler(context -> {
                later++;
                context.end("done");
            });
        }

        /** The name of a file that is larger than the buffers of a connection. */
        private static String large() {
            try {
                File file = File.createTempFile("large", ".bin", new File("target"));
                file.deleteOnExit();
                try (RandomAccessFile sparse = new RandomAccessFile(file, "rw")) {
                    sparse.setLength(48L * 1024 * 1024);
                }
                return file.getAbsolutePath();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Only the route limits its methods. */
    @Path("/served/run")
    public static class Resource {

        @Inject
        Served served;

        @GET
        @Path("worker")
        public String worker() throws InterruptedException {
            served.working.countDown();
            served.gate.await();
            return "worked";
        }

        @POST
        @Path("body")
        public Uni<String> body(String body) {
            return Uni.createFrom().item(body);
        }
    }
}
