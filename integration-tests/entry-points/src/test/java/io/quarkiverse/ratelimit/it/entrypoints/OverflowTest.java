package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.McpSession;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.smallrye.reactive.messaging.memory.InMemoryConnector;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;

/** At every entry point, a call that its policy denies is allowed by the overflow, and denied if that denies it, too. */
@QuarkusTest
@TestProfile(OverflowTest.OneAndOneMore.class)
class OverflowTest extends FreshLimits {

    private static final String DENIED = "Policy calls(-more)? is used up. Retry after .+\\.";

    @TestHTTPResource
    URI server;

    @Inject
    Vertx vertx;

    @Inject
    RateLimiters limiters;

    @Inject
    @Any
    InMemoryConnector connector;

    @Test
    void fieldsOfGraphQL() {
        query().body("errors", nullValue());
        query().body("errors", nullValue());

        query().body("errors[0].message", matchesPattern(DENIED)).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    @Test
    void reactiveRoutes() {
        when().get("/routes/plain").then().statusCode(200).header("RateLimit", matchesPattern("\"calls\";r=0;t=\\d+"));
        when().get("/routes/plain").then().statusCode(200)
                .header("RateLimit", matchesPattern("\"calls\";r=0;t=\\d+, \"calls-more\";r=0;t=\\d+"));

        when().get("/routes/plain").then().statusCode(429).body("detail", matchesPattern(DENIED));
    }

    @Test
    void routesThatMeetInAnOverflowEachChargeIt() {
        when().get("/met").then().statusCode(404).header("RateLimit",
                matchesPattern("\"left\";r=0;t=\\d+, \"right\";r=0;t=\\d+"));
        when().get("/met").then().statusCode(404).header("RateLimit", matchesPattern(
                "\"left\";r=0;t=\\d+, \"both\";r=2;t=\\d+, \"right\";r=0;t=\\d+, \"both\";r=1;t=\\d+"));

        when().get("/met").then().statusCode(429).body("'violated-policies'", equalTo(List.of("both", "right")));
        assertThat(limiters.get("both").peek().remaining()).as("a denied request charges none of them").isOne();
    }

    @Test
    void toolsOfMcp() {
        McpSession session = new McpSession();
        session.tool("plain").body("result.isError", equalTo(false));
        session.tool("plain").body("result.isError", equalTo(false));

        session.tool("plain").body("result.isError", equalTo(true)).body("result.content[0].text", matchesPattern(DENIED));
    }

    @Test
    void messagesOfTheEventBus() {
        assertThat(request("plain")).asString().startsWith("hello");
        assertThat(request("plain")).asString().startsWith("hello");

        assertThat(request("plain")).isInstanceOf(ReplyException.class);
    }

    @Test
    void messagesOfWebSockets() throws InterruptedException {
        try (Client client = new Client(server, "/chat/attic?tab=9", "X-Client", "overflow")) {
            client.receive();
            assertThat(client.sendAndReceive("one")).isEqualTo("one");
            assertThat(client.sendAndReceive("two")).isEqualTo("two");

            assertThat(client.sendAndReceive("three")).startsWith("wait ");
        }
    }

    @Test
    void consumersOfMessages() {
        assertSlowedDown("parcels", Parcels.DELIVERED);
        assertSlowedDown("freight", Parcels.CARRIED);
    }

    /** The policy allows two messages. The overflow then allows one each 100 ms, and delays the others. */
    private void assertSlowedDown(String channel, List<String> consumed) {
        List<String> messages = List.of("0", "1", "2", "3", "4", "5");
        long start = System.nanoTime();
        messages.forEach(message -> connector.source(channel).send(message));

        await().until(() -> consumed.size() == messages.size());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(290));
        assertThat(consumed).isEqualTo(messages);
    }

    @Test
    void scheduledRuns() {
        awaitDenials();
        // no run is allowed before the reset
        int runs = Cleanup.RUNS.get(), asynchronousRuns = Cleanup.ASYNCHRONOUS_RUNS.get();
        limits.reset();

        awaitDenials();
        assertThat(Cleanup.RUNS.get() - runs).isEqualTo(2);
        assertThat(Cleanup.ASYNCHRONOUS_RUNS.get() - asynchronousRuns).isEqualTo(2);
    }

    private static void awaitDenials() {
        int denied = Cleanup.DENIED.get();
        await().until(() -> Cleanup.DENIED.get() >= denied + 8);
    }

    private static ValidatableResponse query() {
        return given().contentType(ContentType.JSON).body(Map.of("query", "query { it: book { title } opening }"))
                .post("/graphql").then();
    }

    private Object request(String address) {
        try {
            return vertx.eventBus().request(address, "hello").toCompletionStage().toCompletableFuture().join().body();
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    public static final class OneAndOneMore implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            String policies = "quarkus.rate-limit.policies.";
            return Map.ofEntries(Map.entry(policies + "calls.permits", "1"),
                    Map.entry(policies + "calls.overflow", "calls-more"),
                    Map.entry(policies + "left.permits", "1"),
                    Map.entry(policies + "left.period", "2h"),
                    Map.entry(policies + "left.key", "global"),
                    Map.entry(policies + "left.overflow", "both"),
                    Map.entry(policies + "right.permits", "1"),
                    Map.entry(policies + "right.period", "2h"),
                    Map.entry(policies + "right.key", "global"),
                    Map.entry(policies + "right.overflow", "both"),
                    Map.entry(policies + "both.permits", "3"),
                    Map.entry(policies + "both.period", "1h"),
                    Map.entry(policies + "both.algorithm", "sliding-log"),
                    Map.entry(policies + "both.key", "global"),
                    Map.entry("quarkus.rate-limit.routes.left.paths", "/met"),
                    Map.entry("quarkus.rate-limit.routes.left.policy", "left"),
                    Map.entry("quarkus.rate-limit.routes.right.paths", "/met/*"),
                    Map.entry("quarkus.rate-limit.routes.right.policy", "right"),
                    Map.entry(policies + "calls-more.permits", "1"),
                    Map.entry(policies + "calls-more.period", "1m"),
                    Map.entry(policies + "calls-more.key", "method,ip"),
                    Map.entry(policies + "messages.permits", "1"),
                    Map.entry(policies + "messages.overflow", "messages-more"),
                    Map.entry(policies + "messages-more.permits", "1"),
                    Map.entry(policies + "messages-more.period", "1m"),
                    Map.entry(policies + "messages-more.key", "path:room,header:X-Client,query:tab"),
                    Map.entry(policies + "paced.permits", "2"),
                    Map.entry(policies + "paced.burst", "2"),
                    Map.entry(policies + "paced.period", "1h"),
                    Map.entry(policies + "paced.max-wait", "0s"),
                    Map.entry(policies + "paced.overflow", "paced-more"),
                    Map.entry(policies + "paced-more.permits", "10"),
                    Map.entry(policies + "paced-more.burst", "1"),
                    Map.entry(policies + "paced-more.period", "1s"),
                    Map.entry(policies + "paced-more.max-wait", "1m"),
                    Map.entry(policies + "paced-more.key", "method"),
                    Map.entry(policies + "mails.overflow", "mails-more"),
                    Map.entry(policies + "mails-more.permits", "1"),
                    Map.entry(policies + "mails-more.period", "1m"),
                    Map.entry(policies + "mails-more.key", "method"),
                    Map.entry(policies + "runs.overflow", "runs-more"),
                    Map.entry(policies + "runs-more.permits", "1"),
                    Map.entry(policies + "runs-more.period", "1h"),
                    Map.entry(policies + "runs-more.key", "method"));
        }
    }
}
