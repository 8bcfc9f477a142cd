package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.StreamingOutput;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.QuarkusUnitTest;

/** Requests hold a permit until their work ends, however it ends. */
class ConcurrencyTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Work.class, Gates.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.one.algorithm=concurrency
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.lease-time=1500ms
                    quarkus.rate-limit.policies.one.key=header:X-Key
                    """);

    @Inject
    @RateLimitPolicy("one")
    RateLimiter one;

    @Inject
    Gates gates;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "stage", "suspended", "streamed" })
    void secondRequestIsDeniedUntilTheFirstEnds(String kind) {
        CompletableFuture<Integer> first = CompletableFuture
                .supplyAsync(() -> given().header("X-Key", kind).get("/work/" + kind).statusCode());
        await().atMost(SOON).until(() -> isDelayed(kind));
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> isDelayed(kind));

        assertThat(given().header("X-Key", kind).get("/work/" + kind).statusCode()).isEqualTo(429);

        gates.of(kind).complete("done");
        assertThat(first).succeedsWithin(SOON).isEqualTo(200);
        await().atMost(SOON).until(() -> !isDelayed(kind));
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "stage", "suspended", "missing", "broken", "broken-stage" })
    void clientMayCallAgainAsSoonAsItHasTheResponse(String kind) throws Exception {
        String key = "open " + kind;
        gates.of(key).complete("done");
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/work/" + kind))
                .header("X-Key", key).build();

        for (int call = 0; call < 100; call++) {
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isNotEqualTo(429);
        }

        await().atMost(SOON).until(() -> !isDelayed(key));
    }

    @Test
    void clientThatDisconnectsEndsNoWork() throws IOException {
        try (Socket client = new Socket("127.0.0.1", port())) {
            client.getOutputStream()
                    .write("GET /work/plain HTTP/1.1\r\nHost: localhost\r\nX-Key: left\r\n\r\n".getBytes(US_ASCII));
            await().atMost(SOON).until(() -> isDelayed("left"));
        }
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> isDelayed("left"));

        gates.of("left").complete("done");
        await().atMost(SOON).until(() -> !isDelayed("left"));
    }

    private boolean isDelayed(String key) {
        return !one.forKey(key).peek().allowed();
    }

    private static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }

    @Singleton
    public static class Gates {
        private final Map<String, CompletableFuture<String>> gates = new ConcurrentHashMap<>();

        CompletableFuture<String> of(String key) {
            return gates.computeIfAbsent(key, ignored -> new CompletableFuture<>());
        }
    }

    @Path("/work")
    @RateLimited("one")
    public static class Work {

        @Inject
        Gates gates;

        @GET
        @Path("plain")
        public String plain(@HeaderParam("X-Key") String key) {
            return gates.of(key).join();
        }

        @GET
        @Path("stage")
        public CompletionStage<String> stage(@HeaderParam("X-Key") String key) {
            return gates.of(key);
        }

        @GET
        @Path("suspended")
        public void suspended(@HeaderParam("X-Key") String key, @Suspended AsyncResponse response) {
            gates.of(key).thenAccept(response::resume);
        }

        @GET
        @Path("streamed")
        public StreamingOutput streamed(@HeaderParam("X-Key") String key) {
            return output -> {
                output.write(new byte[100_000]);
                output.flush();
                output.write(gates.of(key).join().getBytes(US_ASCII));
            };
        }

        @GET
        @Path("missing")
        public String missing() {
            throw new NotFoundException();
        }

        @GET
        @Path("broken")
        public String broken() {
            throw new IllegalStateException("broken on purpose");
        }

        @GET
        @Path("broken-stage")
        public CompletionStage<String> brokenStage() {
            return CompletableFuture.supplyAsync(this::broken);
        }
    }
}
