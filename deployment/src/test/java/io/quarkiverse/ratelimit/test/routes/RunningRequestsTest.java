package io.quarkiverse.ratelimit.test.routes;

import static io.quarkiverse.ratelimit.test.routes.Routes.policy;
import static io.quarkiverse.ratelimit.test.routes.Routes.route;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Requests to limited paths run up to the limit at once, until the response ends or the client leaves. */
class RunningRequestsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Wire.class, Served.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.one.algorithm=concurrency
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.key=global
                    quarkus.rate-limit.policies.one.lease-time=3s
                    """ + route("one", "/run/*", "one") + policy("paced", 1, "global") + """
                    quarkus.rate-limit.policies.paced.max-wait=3h
                    """ + route("paced", "/later", "paced") + policy("soon", 20, "global") + """
                    quarkus.rate-limit.policies.soon.period=1s
                    quarkus.rate-limit.policies.soon.burst=1
                    quarkus.rate-limit.policies.soon.max-wait=20s
                    """ + route("soon", "/soon", "soon"));

    @Inject
    @RateLimitPolicy("one")
    RateLimiter one;

    @Inject
    @RateLimitPolicy("paced")
    RateLimiter paced;

    @Inject
    Served served;

    @AfterEach
    void everythingIsReleased() {
        await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
    }

    @Test
    void oneRunsAtOnce() throws Exception {
        try (Socket first = Wire.send("GET", "/run/until-ended", "")) {
            RoutingContext running = served.waiting.get();

            assertThat(given().get("/run/at-once").statusCode()).isEqualTo(429);

            running.vertx().runOnContext(ignored -> running.end("done"));
            assertThat(new String(first.getInputStream().readAllBytes())).endsWith("done");
        }
    }

    @Test
    void clientMaySendAgainAsSoonAsItHasTheResponse() throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + Wire.port() + "/run/at-once")).build();

        // an event loop that changes to its own connection to Redis may overtake one release
        await().atMost(SOON).untilAsserted(() -> {
            for (int call = 0; call < 200; call++) {
                assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "/run/waits", "/run/streams" })
    void clientThatLeavesReleasesItsPermit(String path) throws IOException {
        try (Socket client = Wire.send("GET", path, "")) {
            await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        }

        await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
    }

    @Test
    void requestsAreDelayed() {
        for (int call = 0; call < 10; call++) {
            assertThat(given().get("/soon").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void clientThatLeavesFreesItsPlace() throws IOException {
        given().get("/later").then().statusCode(200);
        Duration next = paced.forKey("any").peek().resetAfter();
        try (Socket client = Wire.send("GET", "/later", "")) {
            await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(next.plusMinutes(30)) > 0);
        }

        await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(next) <= 0);
        assertThat(served.later).isEqualTo(1);
    }

    @Singleton
    public static class Served {

        final CompletableFuture<RoutingContext> waiting = new CompletableFuture<>();
        volatile int later;

        void serve(@Observes Router router) {
            router.get("/run/until-ended").handler(waiting::complete);
            router.get("/run/waits").handler(context -> {
            });
            router.get("/run/at-once").handler(context -> context.end("done"));
            router.get("/run/streams").handler(context -> context.response().setChunked(true).write("begun"));
            router.get("/soon").handler(context -> context.end("done"));
            router.get("/later").handler(context -> {
                later++;
                context.end("done");
            });
        }
    }
}
