package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.both;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.ErrorLog;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.http.Headers;

/** Limited reactive routes respond as limited resource methods do. */
@QuarkusTest
class RoutesTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Inject
    @RateLimitPolicy("late")
    RateLimiter late;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "blocking", "written", "uni", "stage", "multi" })
    void thirdRequestIsDeniedWithAllHeaders(String route) {
        for (int remaining = 1; remaining >= 0; remaining--) {
            when().get("/routes/" + route).then().statusCode(200)
                    .header("RateLimit-Policy", "\"calls\";q=2;w=60")
                    .header("RateLimit", matchesPattern("\"calls\";r=" + remaining + ";t=\\d+"))
                    .header("X-RateLimit-Remaining", Integer.toString(remaining));
        }

        when().get("/routes/" + route).then().statusCode(429)
                .header("Retry-After", Integer::parseInt, both(greaterThan(0)).and(lessThanOrEqualTo(30)))
                .header("Cache-Control", "no-store")
                .header("RateLimit-Policy", "\"calls\";q=2;w=60")
                .header("RateLimit", matchesPattern("\"calls\";r=0;t=\\d+"))
                .header("X-RateLimit-Limit", "2")
                .header("X-RateLimit-Remaining", "0")
                .header("X-RateLimit-Reset", notNullValue())
                .contentType("application/problem+json")
                .body("type", equalTo("https://iana.org/assignments/http-problem-types#quota-exceeded"))
                .body("status", equalTo(429))
                .body("violated-policies", contains("calls"));
    }

    @Test
    void headersOfAnotherLimiterAreReplacedOrListedBesideOurs() {
        for (int remaining = 1; remaining >= 0; remaining--) {
            Headers headers = when().get("/routes/upstream").headers();

            assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly(Integer.toString(remaining));
            assertThat(String.join(", ", headers.getValues("RateLimit"))).contains("\"upstream\";r=77",
                    "\"calls\";r=" + remaining);
        }
    }

    @Test
    void plainReturnValueRunsOnAWorker() {
        when().get("/routes/plain").then().body(equalTo("worker"));
        when().get("/routes/uni").then().body(equalTo("event loop"));
        when().get("/routes/unlimited").then().body(equalTo("event loop")).header("RateLimit", nullValue());
    }

    @Test
    void permitIsHeldUntilTheResponseIsComplete() throws IOException {
        HttpURLConnection first = (HttpURLConnection) server.resolve("/routes/later").toURL().openConnection();
        assertThat(first.getResponseCode()).isEqualTo(200);
        when().get("/routes/later").then().statusCode(429);

        when().get("/routes/end-later").then().statusCode(200);
        assertThat(first.getInputStream().readAllBytes()).asString().isEqualTo("begun");

        await().untilAsserted(() -> {
            HttpURLConnection next = (HttpURLConnection) server.resolve("/routes/later").toURL().openConnection();
            assertThat(next.getResponseCode()).isEqualTo(200);
            next.disconnect();
        });
    }

    @Test
    void pathParameterIsAKey() {
        when().get("/routes/of/a").then().statusCode(200);
        when().get("/routes/of/a").then().statusCode(429);

        when().get("/routes/of/b").then().statusCode(200);
    }

    @Test
    void usersAreCountedByTheirName() {
        for (int status : new int[] { 200, 200, 429 }) {
            assertThat(statusOf("alice")).isEqualTo(status);
        }

        assertThat(statusOf("bob")).isEqualTo(200);
        when().get("/routes/of-user").then().statusCode(401);
    }

    private static int statusOf(String user) {
        return given().auth().preemptive().basic(user, user).get("/routes/of-user").statusCode();
    }

    @Test
    void argumentIsAKeyAndCostIsCharged() {
        when().get("/routes/costly?user=a").then().statusCode(200).header("RateLimit", startsWith("\"ten-by-argument\";r=2;"));
        when().get("/routes/costly?user=a").then().statusCode(429).header("Retry-After", notNullValue());

        when().get("/routes/costly?user=b").then().statusCode(200);
    }

    @Test
    void argumentBelongsToTheKeyOfItsPolicyOnly() {
        when().get("/routes/search?user=a").then().statusCode(200);
        when().get("/routes/search?user=b").then().statusCode(200);

        when().get("/routes/search?user=c").then().statusCode(429).body("violated-policies", contains("calls"));
    }

    @Test
    void deniedBeanCallGetsTheSameResponse() {
        when().get("/routes/bean").then().statusCode(200).header("RateLimit", nullValue());
        when().get("/routes/bean").then().statusCode(200);

        when().get("/routes/bean").then().statusCode(429).header("Retry-After", notNullValue())
                .header("RateLimit", startsWith("\"calls\";r=0;")).contentType("application/problem+json");
    }

    @Test
    void annotationOnTheClassCountsRoutesOnly() {
        when().get("/visits/count").then().statusCode(200);
        when().get("/visits/failing").then().statusCode(418);

        when().get("/visits/count").then().statusCode(429);
        when().get("/routes/unlimited").then().statusCode(200);
    }

    @Test
    void failureHandlerOfTheApplicationTakesPrecedence() {
        when().get("/routes/own/handled").then().statusCode(200);
        when().get("/routes/own/handled").then().statusCode(200);

        when().get("/routes/own/handled").then().statusCode(418);
    }

    @ParameterizedTest
    @ValueSource(strings = { "late", "late-uni" })
    void delayedRequestIsRefundedWhenItsClientDisconnects(String route) throws IOException {
        when().get("/routes/" + route).then().statusCode(200);
        Duration afterOne = late.peek().resetAfter();
        try (Socket client = new Socket(server.getHost(), server.getPort())) {
            client.getOutputStream()
                    .write(("GET /routes/" + route + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(US_ASCII));
            await().until(() -> late.peek().resetAfter().compareTo(afterOne.plusMinutes(30)) > 0);
        }

        await().until(() -> late.peek().resetAfter().compareTo(afterOne) <= 0);
    }

    /** Its connection stays open. */
    @ParameterizedTest
    @ValueSource(strings = { "late", "late-uni" })
    void delayedRequestIsRefundedWhenItsClientCancelsIt(String route) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/routes/" + route)).build();
        HttpResponse<String> first = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
        Duration afterOne = late.peek().resetAfter();
        CompletableFuture<HttpResponse<String>> second = client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        await().until(() -> late.peek().resetAfter().compareTo(afterOne.plusMinutes(30)) > 0);

        second.cancel(true);

        await().until(() -> late.peek().resetAfter().compareTo(afterOne) <= 0);
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "stage", "multi" })
    void requestWithAnInvalidCostIsABadRequest(String route) {
        List<String> errors = ErrorLog.during(() -> {
            for (String cost : new String[] { "-1", "1000000001" }) {
                when().get("/routes/cost-" + route + "?cost=" + cost).then().statusCode(400)
                        .contentType("application/problem+json")
                        .body("type", equalTo("about:blank"))
                        .body("status", equalTo(400))
                        .body("detail", equalTo("The cost must be 0 to 1000000000, but is " + cost + "."))
                        .header("RateLimit", nullValue())
                        .header("RateLimit-Policy", nullValue())
                        .header("X-RateLimit-Limit", nullValue());
            }
            when().get("/routes/cost-" + route + "?cost=2").then().statusCode(200);
        });

        assertThat(errors).isEmpty();
    }

    @Test
    void callerCannotChooseAnotherStatus() {
        when().get("/routes/uni");
        when().get("/routes/uni");

        given().accept(ContentType.HTML).contentType("application/grpc").get("/routes/uni").then().statusCode(429);
    }
}
