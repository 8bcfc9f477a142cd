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

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerResponse;

/** Requests hold a permit until their work ends, however it ends. */
class ConcurrencyTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Work.class, Unlimited.class, Gates.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.one.algorithm=concurrency
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.lease-time=1500ms
                    quarkus.rate-limit.policies.one.key=header:X-Key
                    quarkus.rate-limit.policies.argument.algorithm=concurrency
                    quarkus.rate-limit.policies.argument.permits=1
                    quarkus.rate-limit.policies.argument.lease-time=1500ms
                    quarkus.rate-limit.policies.counted.permits=1
                    quarkus.rate-limit.policies.counted.period=10d
                    quarkus.rate-limit.policies.counted.key=bean:when-told
                    quarkus.rate-limit.policies.counted.count-when=2xx
                    quarkus.rate-limit.routes.one.paths=/by-route/*
                    quarkus.rate-limit.routes.one.policy=one
                    """);

    @Inject
    @RateLimitPolicy("one")
    RateLimiter one;

    @Inject
    @RateLimitPolicy("argument")
    RateLimiter byArgument;

    @Inject
    Gates gates;

    @ParameterizedTest
    @CsvSource({ "streamed,1.0", "streamed,1.1", "streamed-with-length,1.0", "streamed-with-length,1.1", "closed-stream,1.0",
            "closed-stream,1.1", "streamed-by-argument,1.0", "streamed-by-argument,1.1" })
    void responseThatHasBegunHoldsItsPermitUntilTheWorkEnds(String kind, String version) throws IOException {
        String key = kind + version;
        RateLimiter limiter = (kind.endsWith("argument") ? byArgument : one).forKey(key);
        try (Socket first = send("/work/" + kind, key, version)) {
            assertThat(first.getInputStream().read()).isEqualTo('H');
            for (int call = 0; call < 3; call++) {
                try (Socket second = send("/work/" + kind, key, version)) {
                    assertThat(new String(second.getInputStream().readNBytes(12), US_ASCII)).endsWith("429");
                }
            }

            gates.of(key).complete("done");
            await().atMost(SOON).until(() -> limiter.peek().allowed());
        }
    }

    @Test
    void clientThatDisconnectsEndsNoWorkThatOnlyARouteLimits() throws IOException {
        try (Socket client = send("/by-route/plain", "route", "1.1")) {
            await().atMost(SOON).until(() -> isDelayed("route"));
        }
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> isDelayed("route"));

        gates.of("route").complete("done");
        await().atMost(SOON).until(() -> !isDelayed("route"));
    }

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
    void clientThatDisconnectsBeforeTheDecisionIsRefunded() throws IOException {
        try (Socket client = send("/work/counted", "counted", "1.1")) {
            await().atMost(SOON).until(() -> gates.deciding != null);
        }
        await().atMost(SOON).until(() -> gates.deciding.closed());
        gates.of("counted").complete("caller");

        await().atMost(SOON).until(() -> given().header("X-Key", "counted").get("/work/counted").statusCode() == 200);
        assertThat(gates.counted).isEqualTo(1);
    }

    @Test
    void clientThatDisconnectsEndsNoWork() throws IOException {
        try (Socket client = send("/work/plain", "left", "1.1")) {
            await().atMost(SOON).until(() -> isDelayed("left"));
        }
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> isDelayed("left"));

        gates.of("left").complete("done");
        await().atMost(SOON).until(() -> !isDelayed("left"));
    }

    private static Socket send(String path, String key, String version) throws IOException {
        Socket socket = new Socket("127.0.0.1", port());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(("GET " + path + " HTTP/" + version + "\r\nHost: localhost\r\nX-Key: " + key
                + "\r\n\r\n").getBytes(US_ASCII));
        return socket;
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
        volatile HttpServerResponse deciding;
        volatile int counted;

        @Produces
        @Singleton
        @Identifier("when-told")
        RateLimitKeyResolver resolver(CurrentVertxRequest current) {
            return call -> {
                deciding = current.getCurrent().response();
                return Uni.createFrom().completionStage(of(call.header("X-Key")));
            };
        }

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
        @Path("counted")
        @RateLimited("counted")
        public String counted() {
            gates.counted++;
            return "counted";
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
        @Path("streamed-with-length")
        public Response streamedWithLength(@HeaderParam("X-Key") String key) {
            return Response.ok(streamed(key)).header("Content-Length", 100_004).build();
        }

        @GET
        @Path("closed-stream")
        public StreamingOutput closedStream(@HeaderParam("X-Key") String key) {
            return output -> {
                output.write('a');
                output.close();
                gates.of(key).join();
            };
        }

        @GET
        @Path("streamed-by-argument")
        @RateLimited("argument")
        public StreamingOutput streamedByArgument(@RateLimitKey @HeaderParam("X-Key") String key) {
            return streamed(key);
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

    /** Only a route limits it. */
    @Path("/by-route")
    public static class Unlimited {

        @Inject
        Gates gates;

        @GET
        @Path("plain")
        public String plain(@HeaderParam("X-Key") String key) {
            return gates.of(key).join();
        }
    }
}
