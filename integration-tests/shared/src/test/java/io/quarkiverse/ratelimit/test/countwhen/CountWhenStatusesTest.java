package io.quarkiverse.ratelimit.test.countwhen;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.time.Duration;
import java.util.UUID;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.fixtures.LoginResource;
import io.quarkus.test.junit.QuarkusTest;

/** A policy with {@code count-when} refunds requests with other responses, even if the client has disconnected. */
@QuarkusTest
class CountWhenStatusesTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration WHILE = Duration.ofMillis(300);

    @Inject
    @RateLimitPolicy("failures")
    RateLimiter failures;

    @Inject
    @RateLimitPolicy("keyed")
    RateLimiter keyed;

    @Inject
    @RateLimitPolicy("addresses")
    RateLimiter addresses;

    @Inject
    LoginResource.Counted counted;

    private String caller;

    @BeforeEach
    void freshCaller() {
        caller = UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = { "text", "empty", "output", "thrown", "uni", "stage", "keyed", "bean", "bean-uni", "by-route",
            "plain-route", "by-both" })
    void onlyTheseStatusesCount(String way) {
        for (int call = 0; call < 20; call++) {
            assertThat(send(way, call % 2 == 0 ? 200 : 404)).isEqualTo(call % 2 == 0 ? 200 : 404);
        }
        for (int call = 0; call < 3; call++) {
            assertThat(send(way, call % 2 == 0 ? 401 : 403)).isEqualTo(call % 2 == 0 ? 401 : 403);
        }

        assertThat(send(way, 200)).isEqualTo(429);
    }

    @Test
    void errorsThatNothingMapsCount() {
        for (int call = 0; call < 10; call++) {
            assertThat(send("bug", 404)).isEqualTo(404);
        }
        for (int call = 0; call < 3; call++) {
            assertThat(send("bug", 500)).isEqualTo(500);
        }

        assertThat(send("bug", 404)).isEqualTo(429);
    }

    @Test
    void excludedStatusesAreRefunded() {
        for (int status : new int[] { 200, 204, 304, 200, 304 }) {
            assertThat(send("unsuccessful", status)).isEqualTo(status);
        }
        for (int status : new int[] { 303, 404, 500 }) {
            assertThat(given().redirects().follow(false).get(path("unsuccessful", status)).statusCode()).isEqualTo(status);
        }

        assertThat(send("unsuccessful", 200)).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = { "empty", "output", "uni", "stage", "bean", "bean-uni", "plain-route", "by-both", "kept-uni" })
    void failureCountsThoughTheClientHasLeft(String way) throws Exception {
        leave(way, 401);

        await().during(WHILE).atMost(SOON).until(() -> left(way) == 2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "empty", "output", "kept-uni", "bean", "by-both", "plain-route" })
    void successIsRefundedThoughTheClientHasLeft(String way) throws Exception {
        leave(way, 200);

        await().atMost(SOON).until(() -> left(way) == 3);
    }

    /** Quarkus REST cancels them. */
    @ParameterizedTest
    @ValueSource(strings = { "uni", "stage", "bean-uni" })
    void whatEndsWithoutAnyStatusCounts(String way) throws Exception {
        int arrived = counted.arrived.get();
        try (Socket client = send(way, 200, true)) {
            await().atMost(SOON).until(() -> counted.arrived.get() > arrived);
        }

        await().during(WHILE).atMost(SOON).until(() -> left(way) == 2);
    }

    @Test
    void streamsCountByTheStatusTheyBeginWith() throws Exception {
        assertThat(send("stream", 401)).isEqualTo(401);
        await().during(WHILE).atMost(SOON).until(() -> left("stream") == 2);

        try (Socket endless = send("stream", 200, false)) {
            assertThat(endless.getInputStream().read()).isEqualTo('H');
            await().atMost(SOON).until(() -> left("stream") == 2);
        }
    }

    private int send(String way, int status) {
        return given().get(path(way, status)).statusCode();
    }

    private String path(String way, int status) {
        return "/login/" + way + "?status=" + status + "&caller=" + caller;
    }

    private long left(String way) {
        long left = (way.equals("keyed") ? keyed : failures).forKey(caller).peek().remaining();
        if (way.equals("by-both") && addresses.forKey(caller).peek().remaining() != left) {
            return -1;
        }
        return left;
    }

    /** Sends a request and closes the connection before the response. */
    private void leave(String way, int status) throws Exception {
        int arrived = counted.arrived.get();
        int responded = counted.responded.get();
        try (Socket client = send(way, status, true)) {
            await().atMost(SOON).until(() -> counted.arrived.get() > arrived);
            assertThat(left(way)).isEqualTo(2);
        }
        await().atMost(SOON).until(() -> counted.responded.get() > responded);
    }

    private Socket send(String way, int status, boolean leaves) throws Exception {
        Socket socket = new Socket("127.0.0.1",
                ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class));
        socket.getOutputStream().write(("GET /login/" + way + "?status=" + status + "&leaves=" + leaves + "&caller=" + caller
                + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
        return socket;
    }
}
