package io.quarkiverse.ratelimit.test.concurrency;

import static io.restassured.RestAssured.given;
import static java.lang.annotation.RetentionPolicy.RUNTIME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;

/** Endpoints run up to the limit at once, and release their permit when their work ends. */
@QuarkusTest
class ConcurrencyOfEndpointsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    Gates gates;

    @Inject
    @RateLimitPolicy("two-at-once")
    RateLimiter two;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "stage", "sse" })
    void thirdAtOnceIsDeniedUntilOneEnds(String kind) throws Exception {
        Gate gate = gates.of(kind);
        CompletableFuture<Integer> first = send(kind, kind);
        CompletableFuture<Integer> second = send(kind, kind);
        await().atMost(SOON).until(() -> free(kind) == 0);

        Response denied = given().header("X-Key", kind).get("/work/" + kind);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"two-at-once\";q=2;qu=\"concurrent-requests\"");
        assertThat(denied.header("RateLimit")).isEqualTo("\"two-at-once\";r=0");

        gate.open();
        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(200);
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(200);
        assertReleased(kind);
    }

    @ParameterizedTest
    @CsvSource({ "throws,500", "mapped,418", "failed-uni,500", "failed-stage,500", "empty-uni,204", "not-found,404" })
    void permitComesBackFromWorkThatFails(String kind, int status) {
        for (int call = 0; call < 4; call++) {
            assertThat(given().header("X-Key", kind).get("/work/" + kind).statusCode()).isEqualTo(status);
            assertReleased(kind);
        }
    }

    @Test
    void permitComesBackFromAStreamThatFails() throws IOException {
        try (Socket client = open("failed-sse", "failed-sse")) {
            String response = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(response).contains("\"two-at-once\";r=1").contains("data:a");
            assertReleased("failed-sse");
        }
    }

    /** Neither the client that leaves nor the end of the response ends it. */
    @Test
    void workThatGoesOnKeepsItsPermitBeyondTheLeaseTime() throws IOException {
        CompletableFuture<Integer> work = send("plain", "long");
        List<String> keys = new ArrayList<>(List.of("long", "ending-uni", "ending-stage"));
        for (String kind : List.of("ending-uni", "ending-stage")) {
            assertThat(given().header("X-Key", kind).get("/work/" + kind).asString()).isEqualTo("written");
        }
        for (String kind : List.of("plain", "blocking-sink", "not-canceled-writing-uni", "not-canceled-writing-stage")) {
            String key = "left-" + kind;
            try (Socket client = open(kind, key)) {
                // a client that leaves before its method runs may end the work
                await().atMost(SOON).until(() -> free(key) == 1 && gates.gates.containsKey(key));
            }
            keys.add(key);
        }
        await().atMost(SOON).until(() -> free("long") == 1);

        await().during(Duration.ofSeconds(2)).atMost(SOON)
                .untilAsserted(() -> assertThat(keys).allMatch(key -> free(key) == 1));

        for (String key : keys) {
            gates.of(key).open();
            assertReleased(key);
        }
        assertThat(work).succeedsWithin(SOON).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "sse", "quiet-sse", "chunks", "sink", "writing-uni" })
    void clientThatLeavesEndsAStream(String kind) throws IOException {
        Socket client = open(kind, "leaves-" + kind);
        await().atMost(SOON).until(() -> free("leaves-" + kind) == 1);

        client.close();

        assertReleased("leaves-" + kind);
    }

    @Test
    void closedSinkEndsTheWork() throws IOException {
        String response = given().header("X-Key", "closed-sink").get("/work/closed-sink").asString();

        assertThat(response).contains("data:a");
        assertReleased("closed-sink");
        gates.of("closed-sink").open();
    }

    @Test
    void clientThatLeavesBeforeTheEndOfItsBodyReleasesItsPermit() throws IOException {
        Socket client = send("POST /work/body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nX-Key: body\r\n\r\n");
        await().atMost(SOON).until(() -> free("body") == 1);

        client.close();

        assertReleased("body");
    }

    @ParameterizedTest
    @ValueSource(strings = { "filtered", "filtered-uni" })
    void clientThatLeavesWhileAFilterSuspendsItsRequestReleasesItsPermit(String kind) throws IOException {
        Socket client = open(kind, kind);
        await().atMost(SOON).until(() -> free(kind) == 1 && gates.gates.containsKey(kind));

        client.close();
        assertReleased(kind);

        gates.of(kind).open();
        await().during(Duration.ofMillis(300)).until(() -> !gates.runs.contains(kind) && free(kind) == 2);
    }

    private long free(String key) {
        return two.forKey(key).peek().remaining();
    }

    private void assertReleased(String key) {
        await().atMost(SOON).until(() -> free(key) == 2);
    }

    private static CompletableFuture<Integer> send(String kind, String key) {
        return CompletableFuture.supplyAsync(() -> given().header("X-Key", key).get("/work/" + kind).statusCode());
    }

    /** Sends a request and does not wait for the response. */
    private static Socket open(String kind, String key) throws IOException {
        return send("GET /work/" + kind + " HTTP/1.1\r\nHost: localhost\r\nX-Key: " + key + "\r\n\r\n");
    }

    private static Socket send(String request) throws IOException {
        int port = ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
        Socket socket = new Socket("127.0.0.1", port);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    @Path("/work")
    @RateLimited("two-at-once")
    public static class Work {

        @Inject
        Gates gates;

        @GET
        @Path("failed-sse")
        @Produces("text/event-stream")
        public Multi<String> failedEvents() {
            return Multi.createBy().concatenating().streams(Multi.createFrom().item("a"),
                    Multi.createFrom().failure(new IOException("broken")));
        }

        @POST
        @Path("body")
        public Uni<String> body(String body) {
            return Uni.createFrom().item(body);
        }

        @GET
        @Path("filtered")
        @Filtered
        public String filtered(@HeaderParam("X-Key") String key) {
            gates.runs.add(key);
            return "done";
        }

        @GET
        @Path("filtered-uni")
        @Filtered
        public Uni<String> filteredUni(@HeaderParam("X-Key") String key) {
            return Uni.createFrom().item(filtered(key));
        }

        @GET
        @Path("plain")
        public String plain(@HeaderParam("X-Key") String key) throws InterruptedException {
            gates.of(key).blocking.await(30, TimeUnit.SECONDS);
            return "done";
        }

        @GET
        @Path("uni")
        public Uni<String> uni(@HeaderParam("X-Key") String key) {
            return Uni.createFrom().completionStage(gates.of(key).open);
        }

        @GET
        @Path("stage")
        public CompletionStage<String> stage(@HeaderParam("X-Key") String key) {
            return gates.of(key).open;
        }

        @GET
        @Path("sse")
        @Produces("text/event-stream")
        public Multi<String> events(@HeaderParam("X-Key") String key) {
            return Multi.createFrom().ticks().every(Duration.ofMillis(100)).map(String::valueOf)
                    .select().where(ignored -> true).onOverflow().drop()
                    .select().first(tick -> !gates.of(key).open.isDone());
        }

        @GET
        @Path("quiet-sse")
        @Produces("text/event-stream")
        public Multi<String> quiet() {
            return Multi.createFrom().nothing();
        }

        @GET
        @Path("sink")
        @Produces("text/event-stream")
        public void sink(@Context SseEventSink sink, @Context Sse sse) {
            sink.send(sse.newEvent("a"));
        }

        @GET
        @Path("blocking-sink")
        @Produces("text/event-stream")
        @Blocking
        public void blockingSink(@HeaderParam("X-Key") String key, @Context SseEventSink sink, @Context Sse sse)
                throws InterruptedException {
            sink.send(sse.newEvent("a"));
            gates.of(key).blocking.await(30, TimeUnit.SECONDS);
        }

        @GET
        @Path("closed-sink")
        @Produces("text/event-stream")
        @Blocking
        public void closedSink(@HeaderParam("X-Key") String key, @Context SseEventSink sink, @Context Sse sse)
                throws InterruptedException {
            sink.send(sse.newEvent("a")).toCompletableFuture().join();
            sink.close();
            gates.of(key).blocking.await(30, TimeUnit.SECONDS);
        }

        @GET
        @Path("writing-uni")
        public Uni<Void> writingUni(HttpServerResponse response) {
            response.setChunked(true).write("written");
            return Uni.createFrom().nothing();
        }

        @GET
        @Path("not-canceled-writing-uni")
        @Cancellable(false)
        public Uni<Void> notCanceledWritingUni(@HeaderParam("X-Key") String key, HttpServerResponse response) {
            response.setChunked(true).write("written");
            return uni(key).replaceWithVoid();
        }

        @GET
        @Path("not-canceled-writing-stage")
        @Cancellable(false)
        public CompletionStage<Void> notCanceledWritingStage(@HeaderParam("X-Key") String key, HttpServerResponse response) {
            response.setChunked(true).write("written");
            return stage(key).thenAccept(ignored -> {
            });
        }

        @GET
        @Path("ending-uni")
        public Uni<Void> endingUni(@HeaderParam("X-Key") String key, HttpServerResponse response) {
            Vertx.currentContext().runOnContext(methodReturned -> response.end("written"));
            return uni(key).replaceWithVoid();
        }

        @GET
        @Path("ending-stage")
        public CompletionStage<Void> endingStage(@HeaderParam("X-Key") String key, HttpServerResponse response) {
            Vertx.currentContext().runOnContext(methodReturned -> response.end("written"));
            return stage(key).thenAccept(ignored -> {
            });
        }

        @GET
        @Path("chunks")
        public Multi<String> chunks() {
            return Multi.createFrom().ticks().every(Duration.ofMillis(100)).map(String::valueOf);
        }

        @GET
        @Path("throws")
        public String fails() throws IOException {
            throw new IOException("broken");
        }

        @GET
        @Path("mapped")
        public String mapped() {
            throw new Teapot();
        }

        @GET
        @Path("not-found")
        public String notFound() {
            throw new jakarta.ws.rs.NotFoundException();
        }

        @GET
        @Path("failed-uni")
        public Uni<String> failedUni() {
            return Uni.createFrom().failure(new IOException("broken"));
        }

        @GET
        @Path("empty-uni")
        public Uni<Void> emptyUni() {
            return Uni.createFrom().voidItem();
        }

        @GET
        @Path("failed-stage")
        public CompletionStage<String> failedStage() {
            return CompletableFuture.failedFuture(new IOException("broken"));
        }

        public static class Teapot extends RuntimeException {
        }

        @ServerExceptionMapper
        public RestResponse<String> map(Teapot teapot) {
            return RestResponse.ResponseBuilder.<String> create(418).entity("teapot").build();
        }
    }

    @NameBinding
    @Retention(RUNTIME)
    @interface Filtered {
    }

    public static class Filter {

        @Inject
        Gates gates;

        @Filtered
        @ServerRequestFilter
        public Uni<Void> suspend(ContainerRequestContext request) {
            return Uni.createFrom().completionStage(gates.of(request.getHeaderString("X-Key")).open).replaceWithVoid();
        }
    }

    @Singleton
    public static class Gates {
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();
        private final Set<String> runs = ConcurrentHashMap.newKeySet();

        Gate of(String key) {
            return gates.computeIfAbsent(key, ignored -> new Gate());
        }
    }

    /** Keeps work going until it is opened. */
    public static class Gate {
        final CountDownLatch blocking = new CountDownLatch(1);
        final CompletableFuture<String> open = new CompletableFuture<>();

        void open() {
            blocking.countDown();
            open.complete("done");
        }
    }
}
