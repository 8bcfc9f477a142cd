package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.specification.RequestSpecification;

/** A limiter for the current caller finds at each entry point whom limited methods count there. */
@QuarkusTest
class OwnLimitsTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Inject
    OwnLimits limits;

    @ParameterizedTest
    @ValueSource(strings = { "worker", "uni" })
    void routesSeeWhatRoutesHaveCharged(String kind) {
        as("alice").get("/own/charge").then().statusCode(200);
        as("alice").get("/own/charge").then().statusCode(200);

        for (int peek = 0; peek < 2; peek++) {
            as("alice").get("/own/" + kind + "/own-user").then().statusCode(200).body(equalTo("8 principal=alice"));
            as("bob").get("/own/" + kind + "/own-user").then().body(equalTo("10 principal=bob"));
            as("bob").header("X-Forwarded-For", "203.0.113.7").get("/own/" + kind + "/own-address").then()
                    .body(equalTo("8 ip=127.0.0.1"));
            given().get("/own/" + kind + "/own-user").then().body(equalTo("10 ip=127.0.0.1"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "worker", "uni" })
    void messagesSeeTheLimitsOfTheCallerOfTheHandshake(String kind) throws InterruptedException {
        as("alice").get("/own/charge").then().statusCode(200);
        try (Client alice = new Client(server, "/own-" + kind + "/den?tab=1", headers("alice"));
                Client bob = new Client(server, "/own-" + kind + "/den?tab=2", headers("bob"));
                Client chat = new Client(server, "/chat/den?tab=1", "X-Client", "alice")) {
            assertThat(chat.receive()).isEqualTo("welcome");
            assertThat(chat.sendAndReceive("one")).isEqualTo("one");

            for (int peek = 0; peek < 2; peek++) {
                assertThat(alice.sendAndReceive("own-user")).isEqualTo("9 principal=alice");
                assertThat(bob.sendAndReceive("own-user")).isEqualTo("10 principal=bob");
                assertThat(bob.sendAndReceive("own-address")).isEqualTo("9 ip=127.0.0.1");
                assertThat(alice.sendAndReceive("messages")).startsWith("1 path:room");
                assertThat(bob.sendAndReceive("messages")).startsWith("2 path:room");
            }
        }
    }

    private static String[] headers(String user) {
        return new String[] { "X-Client", user, Client.as(user)[0], Client.as(user)[1] };
    }

    @Test
    void queriesSeeTheLimitsOfTheirCaller() {
        as("alice").get("/own/charge").then().statusCode(200);

        as("alice").contentType("application/json").body(Map.of("query", "{ left(policy: \"own-user\") }")).post("/graphql")
                .then().body("data.left", equalTo("9 principal=alice"));
    }

    @Test
    void scheduledMethodHasNoCaller() {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(
                () -> assertThat(limits.failureOfSchedule()).contains("own-user", "scheduled method", "forKey(...)"));
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }
}
