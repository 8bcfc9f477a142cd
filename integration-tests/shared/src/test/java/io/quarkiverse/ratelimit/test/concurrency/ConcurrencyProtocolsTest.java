package io.quarkiverse.ratelimit.test.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.fixtures.BegunResponse;
import io.quarkiverse.ratelimit.test.fixtures.BegunResponse.Protocol;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import io.vertx.ext.web.RoutingContext;

/** A permit ends with the work, whatever the protocol, the type of the result, and the headers of the response are. */
@QuarkusTest
class ConcurrencyProtocolsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static final List<String> STREAMS = List.of("multi", "events", "sink");
    private static final List<String> FILES = List.of("file", "path", "uni-file", "async-file");
    private static final List<String> ON_WORKERS = List.of("output", "output-with-length", "closed-output", "input",
            "ends-early");

    @Inject
    @RateLimitPolicy("one-by-key")
    RateLimiter one;

    @Inject
    Gates gates;

    static Stream<Arguments> all() {
        return each(Stream.of(STREAMS, FILES, ON_WORKERS).flatMap(List::stream).toList(), Protocol.values());
    }

    static Stream<Arguments> endingWithTheirClient() {
        return each(Stream.of(STREAMS, FILES).flatMap(List::stream).toList(), Protocol.values());
    }

    private static Stream<Arguments> each(List<String> kinds, Protocol... protocols) {
        return kinds.stream().flatMap(kind -> Stream.of(protocols).map(protocol -> Arguments.of(kind, protocol)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void responseThatHasBegunHoldsItsPermitUntilTheWorkEnds(String kind, Protocol protocol) throws Exception {
        String key = kind + " over " + protocol;
        try (BegunResponse first = protocol.get("/protocols/" + kind, key)) {
            assertThat(first.status()).isEqualTo(200);
            for (Protocol other : List.of(Protocol.HTTP_1_0, Protocol.HTTP_1_1, protocol)) {
                try (BegunResponse second = other.get("/protocols/" + kind, key)) {
                    assertThat(second.status()).isEqualTo(429);
                }
            }

            gates.of(key).complete(null);
            gates.of("next").complete(null);
            CompletableFuture.runAsync(() -> readAll(first.body()));
            await().atMost(SOON).until(() -> isFree(key));
        }
    }

    @ParameterizedTest
    @MethodSource("endingWithTheirClient")
    void clientThatLeavesEndsAStreamOrAFile(String kind, Protocol protocol) throws Exception {
        String key = kind + " left over " + protocol;
        try (BegunResponse first = protocol.get("/protocols/" + kind, key)) {
            assertThat(first.status()).isEqualTo(200);
            assertThat(isFree(key)).isFalse();
        }

        await().atMost(SOON).until(() -> isFree(key));
    }

    /** A slow download, and work on a worker, which a client that leaves does not end. */
    @Test
    void workThatGoesOnHoldsItsPermitBeyondTheLeaseTime() throws Exception {
        List<String> left = new ArrayList<>();
        try (BegunResponse slow = Protocol.HTTP_1_1.get("/protocols/file", "slow")) {
            for (String kind : ON_WORKERS) {
                for (Protocol protocol : List.of(Protocol.HTTP_1_0, Protocol.HTTP_1_1, Protocol.HTTP_2)) {
                    String key = kind + " left over " + protocol;
                    try (BegunResponse first = protocol.get("/protocols/" + kind, key)) {
                        assertThat(first.status()).as(key).isEqualTo(200);
                        // a client that leaves before that ends the work
                        await().atMost(SOON).until(() -> gates.reached.contains(key));
                    }
                    left.add(key);
                }
            }

            await().during(Duration.ofSeconds(2)).atMost(SOON).untilAsserted(() -> {
                assertThat(isFree("slow")).isFalse();
                assertThat(left).noneMatch(this::isFree);
            });
        }
        for (String key : left) {
            gates.of(key).complete(null);
            await().atMost(SOON).until(() -> isFree(key));
        }
    }

    private boolean isFree(String key) {
        return one.forKey(key).peek().allowed();
    }

    private static void readAll(InputStream body) {
        try {
            body.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException closedByTheTest) {
            // the permit is already released
        }
    }

    /** For each caller, the end of the work. */
    @Singleton
    public static class Gates {

        private final Map<String, CompletableFuture<Void>> gates = new ConcurrentHashMap<>();
        final Set<String> reached = ConcurrentHashMap.newKeySet();

        CompletableFuture<Void> of(String key) {
            return gates.computeIfAbsent(key, ignored -> new CompletableFuture<>());
        }

        void await(String key) {
            reached.add(key);
            of(key).orTimeout(60, TimeUnit.SECONDS).join();
        }
    }

    @Path("/protocols")
    @RateLimited("one-by-key")
    public static class Work {

        /** More than the buffers of a connection. */
        private static final long LARGE = 24L * 1024 * 1024;

        @Inject
        Gates gates;

        @Inject
        Vertx vertx;

        private final File large = large();

        private static File large() {
            try {
                File file = File.createTempFile("large", ".bin", new File("target"));
                file.deleteOnExit();
                try (RandomAccessFile sparse = new RandomAccessFile(file, "rw")) {
                    sparse.setLength(LARGE);
                }
                return file;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        @GET
        @Path("multi")
        @Produces(MediaType.TEXT_PLAIN)
        public Multi<String> multi(@HeaderParam("X-Key") String key) {
            return Multi.createBy().concatenating().streams(Multi.createFrom().item("a"),
                    Uni.createFrom().completionStage(gates.of(key)).replaceWith("b").toMulti());
        }

        @GET
        @Path("events")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public Multi<String> events(@HeaderParam("X-Key") String key) {
            return multi(key);
        }

        @GET
        @Path("sink")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public void sink(@HeaderParam("X-Key") String key, @Context SseEventSink sink, @Context Sse sse) {
            sink.send(sse.newEvent("a"));
            gates.of(key).thenRun(sink::close);
        }

        @GET
        @Path("file")
        public File file() {
            return large;
        }

        @GET
        @Path("path")
        public java.nio.file.Path path() {
            return large.toPath();
        }

        @GET
        @Path("uni-file")
        public Uni<Response> uniFile() {
            return Uni.createFrom().item(Response.ok(large).build());
        }

        @GET
        @Path("async-file")
        public Uni<AsyncFile> asyncFile() {
            return Uni.createFrom()
                    .completionStage(vertx.fileSystem().open(large.getPath(), new OpenOptions()).toCompletionStage());
        }

        @GET
        @Path("output")
        public StreamingOutput output(@HeaderParam("X-Key") String key) {
            return output -> {
                output.write('a');
                output.flush();
                gates.await(key);
                output.write('b');
            };
        }

        @GET
        @Path("output-with-length")
        public Response outputWithLength(@HeaderParam("X-Key") String key) {
            return Response.ok(output(key)).header("Content-Length", 2).build();
        }

        @GET
        @Path("closed-output")
        public StreamingOutput closedOutput(@HeaderParam("X-Key") String key) {
            return output -> {
                output.write('a');
                output.close();
                gates.await(key);
            };
        }

        @GET
        @Path("input")
        public InputStream input(@HeaderParam("X-Key") String key) {
            return new SequenceInputStream(new java.io.ByteArrayInputStream(new byte[30_000]), new InputStream() {
                @Override
                public int read() {
                    gates.await(key);
                    return -1;
                }
            });
        }

        @GET
        @Path("ends-early")
        public void endsEarly(@HeaderParam("X-Key") String key, RoutingContext routing) {
            routing.response().end("a");
            gates.await(key);
        }
    }
}
