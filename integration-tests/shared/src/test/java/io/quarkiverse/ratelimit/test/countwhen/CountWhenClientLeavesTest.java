package io.quarkiverse.ratelimit.test.countwhen;

import static io.restassured.RestAssured.given;
import static java.lang.annotation.RetentionPolicy.RUNTIME;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.reflect.Type;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;

/** A request whose client leaves before its method runs is refunded by policies that count by status, and not served. */
@QuarkusTest
class CountWhenClientLeavesTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    Served served;

    @Inject
    @RateLimitPolicy("leaving")
    RateLimiter leaving;

    @Inject
    @RateLimitPolicy("leaving-checks")
    RateLimiter checks;

    private final String caller = UUID.randomUUID().toString();

    @ParameterizedTest
    @CsvSource({ "text,RST", "text,FIN", "uni,RST", "uni,FIN", "argument,RST", "by-route,RST", "by-route,FIN", "handler,RST",
            "by-both,FIN" })
    void clientThatLeavesBeforeTheDecisionIsRefunded(String way, String end) throws Exception {
        for (int call = 0; call < 3; call++) {
            String request = caller + call;
            try (Socket client = send("GET", way, request, "")) {
                await().atMost(SOON).until(() -> served.responses.containsKey(request));
                client.setSoLinger(end.equals("RST"), 0);
            }
            await().atMost(SOON).until(() -> served.responses.get(request).closed());
            served.decisionOf(request).complete(caller);
        }

        String request = caller + "stays";
        served.decisionOf(request).complete(caller);
        await().atMost(SOON).until(() -> given().header("X-Request", request).header("X-Caller", caller)
                .get("/leaving/" + way).statusCode() == 200);
        assertThat(served.runs).containsKey(request).doesNotContainKeys(caller + 0, caller + 1, caller + 2);
    }

    @ParameterizedTest
    @CsvSource({ "body,RST,Content-Length: 100", "body,FIN,Content-Length: 100", "body,FIN,Transfer-Encoding: chunked",
            "body,RST,Content-Length: 100;Expect: 100-continue", "stream,FIN,Content-Length: 100",
            "uni-body,RST,Content-Length: 100", "uni-body,FIN,Transfer-Encoding: chunked",
            "body-by-route,RST,Content-Length: 100", "body-by-route,FIN,Content-Length: 100",
            "uni-body-by-route,FIN,Content-Length: 100",
            "located/body,FIN,Content-Length: 100", "located/uni-body,RST,Content-Length: 100",
            "located/body-by-route,FIN,Content-Length: 100", "located/body-by-route,RST,Content-Length: 100" })
    void clientThatLeavesBeforeTheEndOfItsBodyIsRefunded(String way, String end, String headers) throws Exception {
        try (Socket client = send("POST", way, caller, headers.replace(";", "\r\n") + "\r\n")) {
            client.getOutputStream().write("5\r\nbegun\r\n".getBytes(US_ASCII));
            await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 2);
            client.setSoLinger(end.equals("RST"), 0);
        }

        await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 3);
        assertThat(served.runs).doesNotContainKey(caller);
    }

    @ParameterizedTest
    @ValueSource(strings = { "delayed", "delayed-argument" })
    void clientThatLeavesDuringTheDelayOfTheMethodIsRefundedByTheRoute(String way) throws Exception {
        given().header("X-Request", caller).header("X-Caller", caller).get("/leaving/" + way).then().statusCode(200);
        served.runs.remove(caller);
        try (Socket client = send("GET", way, caller, "")) {
            await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 1);
        }

        await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 2);
        assertThat(served.runs).doesNotContainKey(caller);
    }

    /** Such as one that waits for a thread. */
    @ParameterizedTest
    @CsvSource({ "on-worker,RST", "on-worker,FIN", "on-worker-by-route,FIN" })
    void requestWhoseMethodAWorkerIsToCallIsRefunded(String way, String end) throws Exception {
        try (Socket client = send("GET", way, caller, "")) {
            await().atMost(SOON).until(() -> served.filtered.contains(caller));
            assertThat(leaving.forKey(caller).peek().remaining()).isEqualTo(2);
            client.setSoLinger(end.equals("RST"), 0);
        }

        await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 3);
        served.decisionOf(caller).complete("");
        await().during(Duration.ofMillis(300)).until(() -> !served.runs.containsKey(caller));
    }

    @ParameterizedTest
    @CsvSource({ "parked-by-route,RST", "parked-by-route,FIN", "parked-uni-by-route,RST" })
    void clientThatLeavesBeforeAMethodIsChosenIsRefundedByTheRoute(String way, String end) throws Exception {
        try (Socket client = send("GET", way, caller, "")) {
            await().atMost(SOON).until(() -> served.parked.containsKey(caller));
            assertThat(leaving.forKey(caller).peek().remaining()).isEqualTo(2);
            client.setSoLinger(end.equals("RST"), 0);
        }
        await().atMost(SOON).until(() -> served.responses.get(caller).closed());

        served.parked.get(caller).run();
        await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 3);
        assertThat(served.runs).doesNotContainKey(caller);
    }

    @Test
    void beanMethodThatAFilterHasCalledCounts() throws Exception {
        try (Socket client = send("POST", "checked-body", caller, "Content-Length: 100\r\n")) {
            client.getOutputStream().write("begun".getBytes(US_ASCII));
            await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 2
                    && checks.forKey(caller).peek().remaining() == 2);
        }

        await().atMost(SOON).until(() -> leaving.forKey(caller).peek().remaining() == 3);
        assertThat(checks.forKey(caller).peek().remaining()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "RST", "FIN" })
    void beanMethodThatAFilterHasCalledForAMethodWithoutLimitsCounts(String end) throws Exception {
        try (Socket client = send("POST", "only-checked-body", caller, "Content-Length: 100\r\n")) {
            client.getOutputStream().write("begun".getBytes(US_ASCII));
            await().atMost(SOON).until(() -> checks.forKey(caller).peek().remaining() == 2);
            client.setSoLinger(end.equals("RST"), 0);
        }
        await().atMost(SOON).until(() -> served.responses.get(caller).closed());

        await().during(Duration.ofMillis(300)).until(() -> checks.forKey(caller).peek().remaining() == 2);
        assertThat(served.runs).doesNotContainKey(caller);
    }

    @Test
    void beanMethodThatAFilterHasCalledForAMethodThatWaitsForAWorkerCounts() throws Exception {
        try (Socket client = send("GET", "checked-on-worker", caller, "")) {
            await().atMost(SOON).until(() -> served.filtered.contains(caller));
            assertThat(checks.forKey(caller).peek().remaining()).isEqualTo(2);
        }
        await().atMost(SOON).until(() -> served.responses.get(caller).closed());

        served.decisionOf(caller).complete("");
        await().during(Duration.ofMillis(300)).until(() -> checks.forKey(caller).peek().remaining() == 2);
        assertThat(served.runs).doesNotContainKey(caller);
    }

    @Test
    void requestThatAFilterAnswersCountsAlsoIfItsConnectionIsClosedThen() throws Exception {
        try (Socket client = send("POST", "checked-body", caller,
                "X-Answered: true\r\nConnection: close\r\nContent-Length: 100\r\n")) {
            assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII)).isEqualTo("HTTP/1.1 503");
        }

        assertThat(leaving.forKey(caller).peek().remaining()).isEqualTo(2);
        await().during(Duration.ofMillis(300)).until(() -> leaving.forKey(caller).peek().remaining() == 2);
    }

    private Socket send(String method, String way, String request, String headers) throws IOException {
        Socket socket = new Socket("127.0.0.1",
                ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class));
        socket.getOutputStream().write((method + " /leaving/" + way + " HTTP/1.1\r\nHost: localhost\r\nX-Request: " + request
                + "\r\nX-Caller: " + caller + "\r\n" + headers.replace(";", "\r\n") + "\r\n").getBytes(US_ASCII));
        return socket;
    }

    @Singleton
    public static class Served {

        final Map<String, HttpServerResponse> responses = new ConcurrentHashMap<>();
        final Map<String, Boolean> runs = new ConcurrentHashMap<>();
        final Set<String> filtered = ConcurrentHashMap.newKeySet();
        /** Pass requests on to their methods. */
        final Map<String, Runnable> parked = new ConcurrentHashMap<>();
        private final Map<String, CompletableFuture<String>> decisions = new ConcurrentHashMap<>();

        CompletableFuture<String> decisionOf(String request) {
            return decisions.computeIfAbsent(request, ignored -> new CompletableFuture<>());
        }

        @Produces
        @Singleton
        @Identifier("when-told")
        RateLimitKeyResolver resolver() {
            return call -> Uni.createFrom().completionStage(decisionOf(call.header("X-Request")));
        }

        void serve(@Observes Router router) {
            router.route("/leaving/*").order(-1_000).handler(routing -> {
                responses.put(routing.request().getHeader("X-Request"), routing.response());
                routing.next();
            });
            // after the routes
            router.route("/leaving/parked-*").order(-100).handler(routing -> {
                Context context = Vertx.currentContext();
                parked.put(routing.request().getHeader("X-Request"), () -> context.runOnContext(told -> routing.next()));
            });
            router.get("/leaving/handler").handler(routing -> {
                runs.put(routing.request().getHeader("X-Request"), true);
                routing.end("served");
            });
        }

        String run(String request) {
            runs.put(request, true);
            return "served";
        }
    }

    public record Bytes(byte[] bytes) {
    }

    /** Reads the body on the worker that is to call the method. */
    @Provider
    public static class BytesReader implements MessageBodyReader<Bytes> {

        @Override
        public boolean isReadable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
            return type == Bytes.class;
        }

        @Override
        public Bytes readFrom(Class<Bytes> type, Type genericType, Annotation[] annotations, MediaType mediaType,
                MultivaluedMap<String, String> headers, InputStream body) throws IOException {
            return new Bytes(body.readAllBytes());
        }
    }

    @NameBinding
    @Retention(RUNTIME)
    @interface Checked {
    }

    @NameBinding
    @Retention(RUNTIME)
    @interface Blocked {
    }

    public static class BlockingFilter {

        @Inject
        Served served;

        @Blocked
        @ServerRequestFilter(priority = Priorities.USER + 1)
        public void waitOnWorker(ContainerRequestContext request) {
            String caller = request.getHeaderString("X-Request");
            served.filtered.add(caller);
            served.decisionOf(caller).orTimeout(60, TimeUnit.SECONDS).join();
        }
    }

    @Singleton
    public static class Checks {

        @RateLimited("leaving-checks")
        public Uni<Void> check() {
            return Uni.createFrom().voidItem();
        }
    }

    public static class Filter {

        @Inject
        Checks checks;

        @Checked
        @ServerRequestFilter
        public Uni<Response> check(ContainerRequestContext request) {
            Response answer = request.getHeaderString("X-Answered") == null ? null : Response.status(503).build();
            return checks.check().map(ignored -> answer);
        }
    }

    @Path("/leaving")
    public static class Resource extends Bodies {

        @Inject
        Located located;

        @GET
        @Path("text")
        @RateLimited("leaving-when-told")
        public String text(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("uni")
        @RateLimited("leaving-when-told")
        public Uni<String> uni(@HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }

        @GET
        @Path("argument")
        @RateLimited("leaving-when-told")
        public String argument(@HeaderParam("X-Request") String request, @RateLimitKey @HeaderParam("X-Caller") String caller) {
            return served.run(request);
        }

        @GET
        @Path("on-worker")
        @Blocked
        @RateLimited("leaving")
        public String onWorker(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("on-worker-by-route")
        @Blocked
        public String onWorkerByRoute(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("parked-by-route")
        public String parkedByRoute(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("parked-uni-by-route")
        public Uni<String> parkedUniByRoute(@HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }

        @GET
        @Path("by-route")
        public String byRoute(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("delayed")
        @RateLimited("leaving-delayed")
        public String delayed(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @GET
        @Path("delayed-argument")
        @RateLimited("leaving-delayed")
        public String delayedArgument(@HeaderParam("X-Request") String request,
                @RateLimitKey @HeaderParam("X-Caller") String caller) {
            return served.run(request);
        }

        @GET
        @Path("by-both")
        @RateLimited("leaving-always")
        public String byBoth(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @POST
        @Path("stream")
        @RateLimited("leaving")
        public String stream(Bytes body, @HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @Path("located")
        public Located located() {
            return located;
        }

        @POST
        @Path("checked-body")
        @Checked
        @RateLimited("leaving")
        public Uni<String> checkedBody(String body, @HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }

        @POST
        @Path("only-checked-body")
        @Checked
        public Uni<String> onlyCheckedBody(String body, @HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }

        @GET
        @Path("checked-on-worker")
        @Checked
        @Blocked
        public String checkedOnWorker(@HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @POST
        @Path("uni-body-by-route")
        public Uni<String> uniBodyByRoute(String body, @HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }
    }

    public abstract static class Bodies {

        @Inject
        Served served;

        @POST
        @Path("body-by-route")
        public String bodyByRoute(String body, @HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @POST
        @Path("body")
        @RateLimited("leaving")
        public String body(String body, @HeaderParam("X-Request") String request) {
            return served.run(request);
        }

        @POST
        @Path("uni-body")
        @RateLimited("leaving")
        public Uni<String> uniBody(String body, @HeaderParam("X-Request") String request) {
            return Uni.createFrom().item(served.run(request));
        }
    }

    @Singleton
    public static class Located extends Bodies {
    }
}
