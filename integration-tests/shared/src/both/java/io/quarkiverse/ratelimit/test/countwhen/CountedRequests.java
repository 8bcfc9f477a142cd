package io.quarkiverse.ratelimit.test.countwhen;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * The status of the response decides whether a request counts, also if its client does not wait for it. Subclasses have a
 * static method {@code paths}.
 */
public abstract class CountedRequests {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    @RateLimitPolicy("counted-failures")
    RateLimiter failures;

    @Inject
    @RateLimitPolicy("counted-keyed")
    RateLimiter keyed;

    @Inject
    Gates gates;

    private String key;

    @BeforeEach
    void nextCaller() {
        key = UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @MethodSource("paths")
    void onlyTheStatusCounts(String path) {
        gates.of(key).complete(200);
        given().header("X-Key", key).get(path).then().statusCode(200);
        gates.all.put(key, CompletableFuture.completedFuture(401));
        given().header("X-Key", key).get(path).then().statusCode(401);

        await().atMost(SOON).until(() -> left(path) == 2);
    }

    @ParameterizedTest
    @MethodSource("paths")
    void failureCountsThoughTheClientHasLeft(String path) throws Exception {
        leave(path, 401);

        await().during(Duration.ofMillis(500)).atMost(SOON).until(() -> left(path) == 2);
    }

    @ParameterizedTest
    @MethodSource("paths")
    void successIsRefundedThoughTheClientHasLeft(String path) throws Exception {
        leave(path, 200);

        await().atMost(SOON).until(() -> left(path) == 3);
    }

    @ParameterizedTest
    @ValueSource(strings = { "/counted-requests/body", "/counted-by-route/body" })
    void clientThatLeavesBeforeTheEndOfItsBodyIsRefunded(String path) throws Exception {
        try (Socket client = send("POST", path, "Content-Length: 100\r\n")) {
            client.getOutputStream().write("begun".getBytes(US_ASCII));
            await().atMost(SOON).until(() -> left(path) == 2);
        }

        await().atMost(SOON).until(() -> left(path) == 3);
    }

    private void leave(String path, int status) throws Exception {
        try (Socket client = send("GET", path, "")) {
            await().atMost(SOON).until(() -> gates.responses.containsKey(key));
            assertThat(left(path)).isEqualTo(2);
        }
        await().atMost(SOON).until(() -> gates.responses.get(key).closed());
        gates.of(key).complete(status);
    }

    private Socket send(String method, String path, String headers) throws Exception {
        Socket socket = new Socket("127.0.0.1",
                ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class));
        socket.getOutputStream().write((method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n"
                + headers + "\r\n").getBytes(US_ASCII));
        return socket;
    }

    private long left(String path) {
        return (path.endsWith("keyed") ? keyed : failures).forKey(key).peek().remaining();
    }

    @Singleton
    public static class Gates {
        final Map<String, CompletableFuture<Integer>> all = new ConcurrentHashMap<>();
        final Map<String, HttpServerResponse> responses = new ConcurrentHashMap<>();

        @Inject
        CurrentVertxRequest current;

        public CompletableFuture<Integer> ofRequest(String key) {
            responses.put(key, current.getCurrent().response());
            return of(key);
        }

        CompletableFuture<Integer> of(String key) {
            return all.computeIfAbsent(key, ignored -> new CompletableFuture<>());
        }
    }

    @Path("/counted-requests")
    @RateLimited("counted-failures")
    public static class Login extends Limited {

        @GET
        @Path("thrown")
        public String thrown(@HeaderParam("X-Key") String key) {
            throw new WebApplicationException(plain(key));
        }

        @GET
        @Path("keyed")
        @RateLimited("counted-keyed")
        public Response keyed(@RateLimitKey @HeaderParam("X-Key") String key) {
            return plain(key);
        }
    }

    @Path("/counted-by-route")
    public static class ByRoute extends Limited {
    }

    /** By the class, or by a route. */
    public abstract static class Limited {

        @Inject
        Gates gates;

        @GET
        @Path("plain")
        public Response plain(@HeaderParam("X-Key") String key) {
            return Response.status(gates.ofRequest(key).join()).entity("done").build();
        }

        @POST
        @Path("body")
        public String body(String body) {
            return "served";
        }
    }
}
