package io.quarkiverse.ratelimit.test.concurrency;

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
import java.util.concurrent.CountDownLatch;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Requests run up to the limit at once, and release their permit when their work ends, however it ends. */
@QuarkusTest
class ConcurrencyOfRequestsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Inject
    @RateLimitPolicy("single")
    RateLimiter one;

    @Inject
    Gate gate;

    @AfterEach
    void everythingIsReleased() {
        await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
    }

    @ParameterizedTest
    @ValueSource(strings = { "uni", "fails" })
    void clientMaySendAgainAsSoonAsItHasTheResponse(String work) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/requests/" + work)).build();

        for (int call = 0; call < 200; call++) {
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isNotEqualTo(429);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "events", "array" })
    void streamWhoseClientLeavesReleasesItsPermit(String stream) throws IOException {
        for (int call = 0; call < 5; call++) {
            try (Socket client = open(stream)) {
                assertThat(client.getInputStream().read()).isEqualTo('H');
                assertThat(one.forKey("any").peek().allowed()).isFalse();
            }

            await().atMost(SOON).until(() -> one.forKey("any").peek().allowed());
        }
    }

    @Test
    void clientThatLeavesEndsNoWorkOnAWorker() throws IOException {
        try (Socket client = open("waits")) {
            await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        }

        await().during(Duration.ofSeconds(1)).atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
        gate.opens.countDown();
    }

    private static Socket open(String path) throws IOException {
        Socket socket = new Socket("127.0.0.1", port());
        socket.getOutputStream().write(("GET /requests/" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
        return socket;
    }

    private static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }

    @Singleton
    public static class Gate {
        final CountDownLatch opens = new CountDownLatch(1);
    }

    @Path("/requests")
    @RateLimited("single")
    public static class Work {

        @Inject
        Gate gate;

        @GET
        @Path("uni")
        public Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @GET
        @Path("fails")
        public Uni<String> fails() {
            return Uni.createFrom().failure(new NotFoundException());
        }

        @GET
        @Path("waits")
        public String waits() throws InterruptedException {
            gate.opens.await();
            return "done";
        }

        @GET
        @Path("events")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public Multi<String> events() {
            return array();
        }

        @GET
        @Path("array")
        public Multi<String> array() {
            return Multi.createFrom().ticks().every(Duration.ofMillis(1)).onOverflow().drop().map(tick -> "tick " + tick);
        }
    }
}
