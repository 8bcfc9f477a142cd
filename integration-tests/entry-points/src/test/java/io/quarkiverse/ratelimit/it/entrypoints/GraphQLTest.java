package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.both;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import java.net.URI;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;

/** A denied operation or field is an error of its own. */
@QuarkusTest
class GraphQLTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @ParameterizedTest
    @ValueSource(strings = { "query { it: book { title } opening }", "query { it: uni { title } opening }",
            "query { it: delivery opening }" })
    void deniedFieldIsAnErrorAndTheOthersHaveData(String query) {
        run(query).body("errors", nullValue());
        run(query).body("errors", nullValue());

        run(query)
                .body("data.it", nullValue())
                .body("data.opening", equalTo("9 to 5"))
                .body("errors", hasSize(1))
                .body("errors[0].message", matchesPattern("Policy calls is used up. Retry after \\d+ s."))
                .body("errors[0].path", contains("it"))
                .body("errors[0].extensions.code", equalTo("RATE_LIMITED"))
                .body("errors[0].extensions.retryAfter", both(greaterThan(0)).and(lessThanOrEqualTo(30)));
    }

    @Test
    void deniedMutationIsAnError() {
        String mutation = "mutation { lend(title: \"Emma\") }";
        run(mutation).body("data.lend", equalTo("Emma"));
        run(mutation).body("data.lend", equalTo("Emma"));

        run(mutation).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    @Test
    void propertyOfAnInputIsTheKey() {
        String order = "mutation { order(order: { title: \"%s\", reader: { name: \"%s\" } }) }";
        run(order.formatted("Emma", "alice")).body("data.order", equalTo("Emma"));
        run(order.formatted("Persuasion", "alice")).body("data.order", equalTo("Persuasion"));

        run(order.formatted("Sanditon", "alice")).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
        run(order.formatted("Emma", "bob")).body("data.order", equalTo("Emma"));
    }

    @Test
    void argumentBelongsToTheKeyOfItsPolicyOnly() {
        String search = "query { search(reader: \"%s\") }";
        run(search.formatted("alice")).body("data.search", equalTo("alice"));
        run(search.formatted("bob")).body("data.search", equalTo("bob"));

        run(search.formatted("carol")).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    @Test
    void sourceFieldIsCountedPerObject() {
        run("query { shelf { title summary } }")
                .body("data.shelf.title", contains("Emma", "Persuasion", "Sanditon"))
                .body("data.shelf.findAll { it.summary != null }", hasSize(2))
                .body("errors", hasSize(1))
                .body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    @Test
    void batchIsCountedOnce() {
        String query = "query { shelf { title loans } }";
        run(query).body("errors", nullValue());
        run(query).body("errors", nullValue());

        run(query)
                .body("data.shelf.title", contains("Emma", "Persuasion", "Sanditon"))
                .body("data.shelf.loans", everyItem(nullValue()))
                .body("errors.extensions.code", everyItem(equalTo("RATE_LIMITED")))
                .body("errors[0].extensions.retryAfter", both(greaterThan(0)).and(lessThanOrEqualTo(30)));
    }

    @Test
    void annotationOnTheClassCountsOperationsOnly() {
        String query = "query { items { name price } }";
        for (int call = 1; call <= 2; call++) {
            run(query).body("errors", nullValue())
                    .body("data.items.price", contains("pen for free", "ink for free", "paper for free"));
        }

        run(query).body("data.items", nullValue()).body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
    }

    @Test
    void argumentIsTheCost() {
        run("query { books(first: 8) { title } }").body("errors", nullValue());

        run("query { books(first: 3) { title } }").body("errors[0].extensions.retryAfter",
                both(greaterThan(0)).and(lessThanOrEqualTo(6)));
        run("query { books(first: 11) { title } }")
                .body("errors[0].extensions.code", equalTo("RATE_LIMITED"))
                .body("errors[0].extensions", not(hasKey("retryAfter")));
    }

    @Test
    void usersAreCountedByTheirName() {
        for (int call = 1; call <= 2; call++) {
            run(as("alice"), "query { mine }").body("data.mine", equalTo("mine"));
        }

        run(as("alice"), "query { mine }").body("errors[0].extensions.code", equalTo("RATE_LIMITED"));
        run(as("bob"), "query { mine }").body("data.mine", equalTo("mine"));
        run("query { mine }").body("errors[0].message", equalTo("Policy calls-by-user cannot identify the caller."));
    }

    @Test
    void waitsOfErrorsHaveJitter() {
        run("query { spread }").body("errors", nullValue());
        Set<Integer> waits = new HashSet<>();

        for (int call = 1; call <= 5; call++) {
            int wait = run("query { spread }").extract().path("errors[0].extensions.retryAfter");
            assertThat(wait).isBetween(1, 86_460);
            waits.add(wait);
        }
        assertThat(waits).hasSizeGreaterThan(3);
    }

    @Test
    void deniedSubscriptionIsAnError() throws InterruptedException {
        try (Client client = Client.of("graphql-transport-ws", server, "/graphql")) {
            assertThat(client.sendAndReceive("{\"type\":\"connection_init\"}")).contains("connection_ack");
            for (int id = 1; id <= 2; id++) {
                assertThat(subscribe(client, id).getString("data.news")).isEqualTo("reopened");
            }

            JsonPath denied = subscribe(client, 3);
            assertThat(denied.getString("errors[0].extensions.code")).isEqualTo("RATE_LIMITED");
            assertThat(denied.getInt("errors[0].extensions.retryAfter")).isBetween(1, 30);
            assertThat(denied.getString("errors[0].message")).startsWith("Policy calls is used up.");
        }
    }

    private static JsonPath subscribe(Client client, int id) throws InterruptedException {
        JsonPath event = JsonPath.from(client.sendAndReceive("{\"id\":\"" + id
                + "\",\"type\":\"subscribe\",\"payload\":{\"query\":\"subscription { news }\"}}")).setRootPath("payload");
        assertThat(client.receive()).contains("complete");
        return event;
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        run("query { broken }").body("errors[0].message", equalTo("System error"))
                .body("errors[0].extensions", not(hasKey("code")))
                .body("errors[0].extensions", not(hasKey("retryAfter")));
    }

    @Test
    void routeLimitsWholeRequests() {
        RequestSpecification caller = given().header("X-Requests", "a");
        run(caller, "query { opening }");

        given().header("X-Requests", "a").contentType("application/json").body(Map.of("query", "query { opening }"))
                .post("/graphql").then().statusCode(429);
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }

    private static ValidatableResponse run(String query) {
        return run(given(), query);
    }

    private static ValidatableResponse run(RequestSpecification caller, String query) {
        return caller.contentType("application/json").body(Map.of("query", query)).post("/graphql").then().statusCode(200);
    }
}
