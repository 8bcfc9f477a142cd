package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.GenericEntity;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.ext.MessageBodyWriter;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.resteasy.spi.AsyncMessageBodyWriter;
import org.jboss.resteasy.spi.AsyncOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Requests hold a permit until their work ends, however it ends. */
@QuarkusTest
class ConcurrencyTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Inject
    @RateLimitPolicy("classic-one")
    RateLimiter one;

    @Inject
    @RateLimitPolicy("classic-argument")
    RateLimiter byArgument;

    @Inject
    @RateLimitPolicy("classic-download")
    RateLimiter download;

    @Inject
    Gates gates;

    @ParameterizedTest
    @CsvSource({ "streamed,1.0", "streamed,1.1", "streamed-with-length,1.0", "streamed-with-length,1.1", "closed-stream,1.0",
            "closed-stream,1.1", "streamed-by-argument,1.0", "streamed-by-argument,1.1", "streamed-by-stage,1.0",
            "streamed-by-stage,1.1", "writer,1.0", "writer,1.1", "async-writer,1.0", "async-writer,1.1",
            "async-writer-by-stage,1.0", "async-writer-by-stage,1.1", "async-writer-by-resume,1.0",
            "async-writer-by-resume,1.1", "events,1.0", "events,1.1" })
    void responseThatHasBegunHoldsItsPermitUntilTheWorkEnds(String kind, String version) throws IOException {
        String key = kind + version;
        RateLimiter limiter = (kind.endsWith("argument") ? byArgument : one).forKey(key);
        try (Socket first = send("/work/" + kind, key, version)) {
            assertIsOnlyCall(first, "/work/" + kind, key, version);

            gates.of(key).complete("done");
            await().atMost(SOON).until(() -> limiter.peek().allowed());
        }
    }

    @ParameterizedTest
    @MethodSource("downloads")
    void downloadHoldsItsPermitUntilItIsReadOrItsClientDisconnects(String method, String entity, String version)
            throws IOException {
        String path = "/downloads/" + method + "?entity=" + entity;
        String key = method + entity + version;
        try (Socket leaving = send(path, key, version)) {
            assertIsOnlyCall(leaving, path, key, version);
        }
        await().atMost(SOON).until(() -> download.forKey(key).peek().allowed());

        try (Socket reading = send(path, key, version)) {
            assertIsOnlyCall(reading, path, key, version);
            CompletableFuture.runAsync(() -> readAll(reading));
            await().atMost(SOON).until(() -> download.forKey(key).peek().allowed());
        }
    }

    static Stream<Arguments> downloads() {
        Stream<Arguments> entities = Stream.of("response", "stage", "event-loop", "suspended", "thrown")
                .flatMap(method -> Stream.of("stream", "output", "file", "bytes", "with-length", "generic", "writer")
                        .map(entity -> Arguments.of(method, entity, "1.1")));
        return Stream.concat(entities, Stream.of(Arguments.of("response", "range", "1.1"),
                Arguments.of("response", "range", "1.0"), Arguments.of("response", "stream", "1.0"),
                Arguments.of("stage", "file", "1.0"), Arguments.of("suspended", "bytes", "1.0")));
    }

    private static void assertIsOnlyCall(Socket first, String path, String key, String version) throws IOException {
        assertThat(new String(first.getInputStream().readNBytes(12), US_ASCII)).contains(" 20");
        for (int call = 0; call < 3; call++) {
            try (Socket second = send(path, key, version)) {
                assertThat(new String(second.getInputStream().readNBytes(12), US_ASCII)).endsWith("429");
            }
        }
    }

    private static void readAll(Socket socket) {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException closedByTheTest) {
            // it has read enough
        }
    }

    /** The permit is renewed for longer than its lease time. */
    @Test
    void nextRequestIsDeniedUntilTheWorkEndsAlsoIfTheClientHasLeft() throws IOException {
        List<String> left = List.of("/work/plain", "/running-by-route/plain");
        Map<String, CompletableFuture<Integer>> running = new HashMap<>();
        for (String path : List.of("/work/plain", "/work/stage", "/work/suspended", "/work/streamed", "/work/input")) {
            running.put(path,
                    CLIENT.sendAsync(request(path, path), BodyHandlers.ofString()).thenApply(HttpResponse::statusCode));
        }
        for (String path : left) {
            try (Socket client = send(path, "left " + path, "1.1")) {
                await().atMost(SOON).until(() -> isDelayed("left " + path));
            }
        }
        await().atMost(SOON).until(() -> running.keySet().stream().allMatch(this::isDelayed));
        await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> running.keySet().stream().allMatch(this::isDelayed)
                && left.stream().allMatch(path -> isDelayed("left " + path)));

        running.forEach((path, status) -> {
            assertThat(given().header("X-Key", path).get(path).statusCode()).isEqualTo(429);
            gates.of(path).complete("done");
            assertThat(status).succeedsWithin(SOON).isEqualTo(200);
            await().atMost(SOON).until(() -> !isDelayed(path));
        });
        for (String path : left) {
            gates.of("left " + path).complete("done");
            await().atMost(SOON).until(() -> !isDelayed("left " + path));
        }
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

    private static Socket send(String path, String key, String version) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress("127.0.0.1", port()));
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(("GET " + path + " HTTP/" + version + "\r\nHost: localhost\r\nX-Key: " + key
                + (path.endsWith("=range") ? "\r\nRange: bytes=0-9999998" : "") + "\r\n\r\n").getBytes(US_ASCII));
        return socket;
    }

    private static HttpRequest request(String path, String key) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path)).header("X-Key", key).build();
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

        @jakarta.enterprise.inject.Produces
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
    @RateLimited("classic-one")
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
        @RateLimited("classic-counted")
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
        @RateLimited("classic-argument")
        public StreamingOutput streamedByArgument(@RateLimitKey @HeaderParam("X-Key") String key) {
            return streamed(key);
        }

        @GET
        @Path("streamed-by-stage")
        public CompletionStage<StreamingOutput> streamedByStage(@HeaderParam("X-Key") String key) {
            return CompletableFuture.supplyAsync(() -> streamed(key));
        }

        @GET
        @Path("writer")
        public Gated writer(@HeaderParam("X-Key") String key) {
            return new Gated(key);
        }

        @GET
        @Path("async-writer")
        public AsyncGated asyncWriter(@HeaderParam("X-Key") String key) {
            return new AsyncGated(key);
        }

        @GET
        @Path("async-writer-by-stage")
        public CompletionStage<AsyncGated> asyncWriterByStage(@HeaderParam("X-Key") String key) {
            return CompletableFuture.supplyAsync(() -> new AsyncGated(key));
        }

        @GET
        @Path("async-writer-by-resume")
        public void asyncWriterByResume(@HeaderParam("X-Key") String key, @Suspended AsyncResponse response) {
            CompletableFuture.runAsync(() -> response.resume(new AsyncGated(key)));
        }

        @GET
        @Path("input")
        public InputStream input(@HeaderParam("X-Key") String key) {
            return new ByteArrayInputStream(new byte[10]) {
                @Override
                public int read() {
                    gates.of(key).join();
                    return super.read();
                }
            };
        }

        @GET
        @Path("events")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public void events(@HeaderParam("X-Key") String key, @Context SseEventSink sink, @Context Sse events) {
            sink.send(events.newEvent("begun"));
            gates.of(key).thenRunAsync(sink::close);
        }
    }

    /** More than the buffers of a connection can hold. */
    @Path("/downloads")
    @RateLimited("classic-download")
    public static class Downloads {

        private static final byte[] CONTENT = new byte[10_000_000];
        private static final File FILE = file();

        @GET
        @Path("response")
        public Response response(@QueryParam("entity") String entity) {
            return Response.ok(switch (entity) {
                case "stream" -> new ByteArrayInputStream(CONTENT);
                case "output" -> (StreamingOutput) output -> writeSlowly(CONTENT, output);
                case "file", "range" -> FILE;
                case "bytes", "with-length" -> CONTENT;
                case "generic" -> new GenericEntity<>(CONTENT, byte[].class);
                default -> new Large(CONTENT);
            }).header("Content-Length", entity.equals("with-length") ? CONTENT.length : null)
                    .type(MediaType.APPLICATION_OCTET_STREAM).build();
        }

        private static File file() {
            try {
                File file = File.createTempFile("download", null);
                file.deleteOnExit();
                Files.write(file.toPath(), CONTENT);
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @GET
        @Path("thrown")
        public String thrown(@QueryParam("entity") String entity) {
            throw new WebApplicationException(response(entity));
        }

        @GET
        @Path("stage")
        public CompletionStage<Response> stage(@QueryParam("entity") String entity) {
            return CompletableFuture.supplyAsync(() -> response(entity));
        }

        @GET
        @Path("event-loop")
        public CompletionStage<Response> eventLoop(@QueryParam("entity") String entity, @Context RoutingContext routing) {
            Response response = response(entity);
            CompletableFuture<Response> stage = new CompletableFuture<>();
            routing.vertx().runOnContext(ignored -> stage.complete(response));
            return stage;
        }

        @GET
        @Path("suspended")
        public void suspended(@QueryParam("entity") String entity, @Suspended AsyncResponse response) {
            CompletableFuture.runAsync(() -> response.resume(response(entity)));
        }
    }

    public record Large(byte[] content) {
    }

    /** One write of all would be faster than the event loop, which only then knows that the connection is full. */
    private static void writeSlowly(byte[] content, OutputStream output) throws IOException {
        int piece = content.length / 20;
        for (int begin = 0; begin < content.length; begin += piece) {
            output.write(content, begin, piece);
            LockSupport.parkNanos(5_000_000);
        }
    }

    @Provider
    public static class LargeWriter implements MessageBodyWriter<Large> {

        @Override
        public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
            return type == Large.class;
        }

        @Override
        public void writeTo(Large large, Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType,
                MultivaluedMap<String, Object> headers, OutputStream output) throws IOException {
            writeSlowly(large.content(), output);
        }
    }

    public record Gated(String key) {
    }

    @Provider
    public static class GatedWriter implements MessageBodyWriter<Gated> {

        @Inject
        Gates gates;

        @Override
        public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
            return type == Gated.class;
        }

        @Override
        public void writeTo(Gated gated, Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType,
                MultivaluedMap<String, Object> headers, OutputStream output) throws IOException {
            output.write(new byte[100_000]);
            output.flush();
            output.write(gates.of(gated.key()).join().getBytes(US_ASCII));
        }
    }

    public record AsyncGated(String key) {
    }

    @Provider
    public static class AsyncGatedWriter implements AsyncMessageBodyWriter<AsyncGated> {

        @Inject
        Gates gates;

        @Override
        public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
            return type == AsyncGated.class;
        }

        @Override
        public void writeTo(AsyncGated gated, Class<?> type, Type genericType, Annotation[] annotations,
                MediaType mediaType, MultivaluedMap<String, Object> headers, OutputStream output) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> asyncWriteTo(AsyncGated gated, Class<?> type, Type genericType,
                Annotation[] annotations, MediaType mediaType, MultivaluedMap<String, Object> headers,
                AsyncOutputStream output) {
            return output.asyncWrite(new byte[100_000]).thenCompose(written -> output.asyncFlush())
                    .thenCompose(flushed -> gates.of(gated.key()))
                    .thenComposeAsync(text -> output.asyncWrite(text.getBytes(US_ASCII)));
        }
    }

    /** Only a route limits it. */
    @Path("/running-by-route")
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
