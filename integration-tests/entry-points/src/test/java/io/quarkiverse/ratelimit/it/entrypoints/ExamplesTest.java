package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.net.URI;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.McpSession;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** The examples of the documentation do what it says. */
@QuarkusTest
class ExamplesTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Test
    void routeIsLimitedPerAuthorAndAddress() {
        when().get("/quotes/augustus").then().statusCode(200);
        when().get("/quotes/augustus").then().statusCode(200);
        when().get("/quotes/augustus").then().statusCode(429);
        when().get("/quotes/livy").then().statusCode(200);
    }

    @Test
    void queryIsLimitedByTheNumberOfItsNovels() {
        for (int call = 1; call <= 5; call++) {
            novels().body("data.novels.review", equalTo(List.of("Emma is a classic.", "Persuasion is a classic.")));
        }

        novels().body("data.novels", nullValue()).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    private static ValidatableResponse novels() {
        return given().contentType("application/json").body(Map.of("query", "{ novels(first: 2) { title review } }"))
                .post("/graphql").then();
    }

    @Test
    void messagesAndConnectionsOfAnAddressAreLimited() throws InterruptedException {
        try (Client first = new Client(server, "/support/den"); Client second = new Client(server, "/support/attic")) {
            assertThat(first.sendAndReceive("one")).isEqualTo("one");
            assertThat(first.sendAndReceive("two")).isEqualTo("two");
            assertThat(first.sendAndReceive("three")).startsWith("Please wait ");
            assertThat(second.receive()).as("broadcast").isEqualTo("one");
            assertThat(second.receive()).as("broadcast").isEqualTo("two");
            assertThat(second.sendAndReceive("four")).isEqualTo("four");

            assertThat(catchThrowable(() -> new Client(server, "/support/den")).getCause())
                    .isInstanceOfSatisfying(WebSocketHandshakeException.class,
                            denial -> assertThat(denial.getResponse().statusCode()).isEqualTo(429));
        }
    }

    @Test
    void connectionsOfAUserAreLimited() throws InterruptedException {
        try (Client alice = team("alice")) {
            assertThat(alice.receive()).isEqualTo("Welcome.");
            try (Client again = team("alice"); Client bob = team("bob")) {
                assertThat(again.receive()).isEqualTo("Welcome.");
                assertThat(bob.receive()).isEqualTo("Welcome.");

                // for longer than the lease, which is renewed
                await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(10))
                        .until(() -> team("alice").closeStatus() == 1013);
                assertThat(alice.sendAndReceive("one")).isEqualTo("one");
            }
            // a denied connection receives nothing for ten seconds
            await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
                try (Client again = team("alice")) {
                    assertThat(again.receive()).isEqualTo("Welcome.");
                }
            });
        }
    }

    @Test
    void toolsAndPromptsAreLimited() {
        McpSession session = new McpSession();
        for (int call = 1; call <= 2; call++) {
            session.tool("forecast", Map.of("city", "Oslo")).body("result.content[0].text", equalTo("Sunny in Oslo."));
        }

        session.tool("forecast", Map.of("city", "Oslo")).body("result.isError", equalTo(true))
                .body("result.content[0].text", startsWith("Policy forecast-tool is used up. Retry after "));
        session.call("prompts/get", Map.of("name", "report")).body("error", nullValue());
        session.call("prompts/get", Map.of("name", "report")).body("error.code", equalTo(429));
    }

    private Client team(String user) {
        return new Client(server, "/team", Client.as(user));
    }
}
