package io.quarkiverse.ratelimit.test.waiting;

import static io.restassured.RestAssured.get;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkus.test.junit.QuarkusTest;

/** A request that comes too early is delayed. When its client disconnects, it is refunded, also by a route. */
@QuarkusTest
class RefundedDelayTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(entry -> entry.getLevel().intValue() > Level.WARNING.intValue(),
            errors -> assertThat(errors).isEmpty());

    @Inject
    @RateLimitPolicy("delay-slow")
    RateLimiter slow;

    @Inject
    @RateLimitPolicy("delay-answered")
    RateLimiter answered;

    @Inject
    Calls calls;

    @Test
    void requestsAreDelayedToAnEvenPace() {
        long begin = System.nanoTime();

        List<CompletableFuture<Integer>> statuses = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> get("/refunded-delay/paced").statusCode())).toList();

        assertThat(statuses).extracting(CompletableFuture::join).containsOnly(200);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(1490));
    }

    @ParameterizedTest
    @ValueSource(strings = { "/refunded-delay/slow", "/refunded-delay/slow-by-cost?cost=1" })
    void requestIsRefundedWhenItsClientDisconnects(String path) throws IOException {
        slow.reset();
        answered.reset();
        calls.slow.set(0);
        get(path).then().statusCode(200);
        Duration afterOne = slow.peek().resetAfter();
        try (Socket client = new Socket("127.0.0.1",
                ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class))) {
            client.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
            await().atMost(SOON).until(() -> slow.peek().resetAfter().compareTo(afterOne.plusDays(50)) > 0);
        }

        await().atMost(SOON).until(() -> slow.peek().resetAfter().compareTo(afterOne) <= 0);
        await().atMost(SOON).until(() -> answered.peek().remaining() == 2);
        assertThat(calls.slow).hasValue(1);
    }

    @Singleton
    public static class Calls {
        final AtomicInteger slow = new AtomicInteger();
    }

    @Path("/refunded-delay")
    public static class Resource {

        @Inject
        Calls calls;

        @GET
        @Path("paced")
        @RateLimited("delay-paced")
        public String paced() {
            return "paced";
        }

        @GET
        @Path("slow-by-cost")
        @RateLimited("delay-slow")
        public String slowByCost(@RateLimitCost @QueryParam("cost") int cost) {
            return slow();
        }

        @GET
        @Path("slow")
        @RateLimited("delay-slow")
        public String slow() {
            calls.slow.incrementAndGet();
            return "slow";
        }
    }
}
