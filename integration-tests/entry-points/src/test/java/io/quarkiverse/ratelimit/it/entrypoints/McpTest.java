package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.mcp.server.stdio.runtime.StdioMcpMessageHandler;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.ErrorLog;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.McpSession;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;
import io.vertx.core.json.JsonObject;

/** A denied tool tells the model how long to wait. A denied prompt or resource is a JSON-RPC error. */
@QuarkusTest
class McpTest extends FreshLimits {

    private static final String DENIED = "Policy %s is used up. Retry after \\d+ s.";

    @Inject
    StdioMcpMessageHandler stdio;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "nonBlocking", "virtual", "cached", "cachedUni", "wrapped", "langchain4j",
            "delivery", "wrappedDelivery", "wrappedPlainDelivery" })
    void deniedToolTellsTheModelToWait(String tool) {
        McpSession session = new McpSession();
        session.tool(tool).body("result.isError", equalTo(false));
        session.tool(tool).body("result.isError", equalTo(false));

        List<String> errors = ErrorLog.during(() -> session.tool(tool)
                .body("error", nullValue())
                .body("result.isError", equalTo(true))
                .body("result.content", hasSize(1))
                .body("result.content[0].type", equalTo("text"))
                .body("result.content[0].text", matchesPattern(DENIED.formatted("calls")))
                .header("RateLimit-Policy", startsWith("\"mcp-requests\"")));

        assertThat(errors).isEmpty();
        session.tool("unlimited").body("result.content[0].text", equalTo("unlimited"));
    }

    @ParameterizedTest
    @CsvSource({ "prompts/get, name, greeting", "prompts/get, name, greetingUni", "resources/read, uri, file:///opening",
            "resources/read, uri, file:///parcel", "resources/read, uri, file:///books/emma" })
    void deniedPromptOrResourceIsAnError(String method, String parameter, String value) {
        McpSession session = new McpSession();
        Map<String, Object> parameters = Map.of(parameter, value);
        session.call(method, parameters).body("error", nullValue());
        session.call(method, parameters).body("error", nullValue());

        List<String> errors = ErrorLog.during(() -> session.call(method, parameters)
                .body("result", nullValue())
                .body("error.code", equalTo(429))
                .body("error.message", matchesPattern(DENIED.formatted("calls"))));

        assertThat(errors).isEmpty();
        session.tool("unlimited").body("result.isError", equalTo(false));
    }

    @Test
    void callThatCannotBeDecidedIsAnotherError() {
        List<String> errors = ErrorLog.during(() -> new McpSession().call("prompts/get", Map.of("name", "withoutRedis"))
                .body("error.code", equalTo(503))
                .body("error.message", equalTo("Policy mails cannot be decided at the moment.")));

        assertThat(errors).isEmpty();
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        new McpSession().tool("ownText").body("result.isError", equalTo(true))
                .body("result.content[0].text", equalTo("Ask again tomorrow."));
        new McpSession().tool("broken").body("error.code", equalTo(-32603));
    }

    @ParameterizedTest
    @CsvSource({ "uni, on an event loop", "nonBlocking, on a worker" })
    void onlyToolWithAPlainResultRunsOnAWorker(String tool, String thread) {
        new McpSession().tool(tool).body("result.content[0].text", equalTo(thread));
    }

    @Test
    void newSessionHasNoNewPermits() {
        new McpSession().tool("plain").body("result.isError", equalTo(false));
        new McpSession().tool("plain").body("result.isError", equalTo(false));

        new McpSession().tool("plain").body("result.isError", equalTo(true));
    }

    @Test
    void usersAreCountedByTheirName() {
        McpSession alice = new McpSession(given().auth().preemptive().basic("alice", "alice"));
        alice.tool("mine").body("result.isError", equalTo(false));
        alice.tool("mine").body("result.isError", equalTo(false));

        alice.tool("mine").body("result.content[0].text", matchesPattern(DENIED.formatted("calls-by-user")));
        new McpSession(given().auth().preemptive().basic("bob", "bob")).tool("mine").body("result.isError", equalTo(false));
        new McpSession().tool("mine")
                .body("result.content[0].text", equalTo("Policy calls-by-user cannot identify the caller."));
    }

    @Test
    void headerIsThatOfTheRequestOfTheCall() {
        McpSession session = new McpSession();
        session.with(given().header("X-Client", "a")).tool("ofHeader").body("result.isError", equalTo(false));
        session.with(given().header("X-Client", "a")).tool("ofHeader").body("result.isError", equalTo(false));

        session.with(given().header("X-Client", "a")).tool("ofHeader").body("result.isError", equalTo(true));
        session.with(given().header("X-Client", "b")).tool("ofHeader").body("result.isError", equalTo(false));
    }

    @Test
    void argumentIsTheKey() {
        McpSession session = new McpSession();
        session.tool("search", Map.of("reader", "alice")).body("result.isError", equalTo(false));
        session.tool("search", Map.of("reader", "alice")).body("result.isError", equalTo(false));

        session.tool("search", Map.of("reader", "alice")).body("result.isError", equalTo(true));
        session.tool("search", Map.of("reader", "bob")).body("result.content[0].text", equalTo("bob"));
    }

    @Test
    void annotationOnTheClassCountsToolsAndPromptsOnly() {
        McpSession session = new McpSession();
        Map<String, Object> prompt = Map.of("name", "review", "arguments", Map.of("title", "Emma"));
        session.tool("shelf").body("result.content[0].text", equalTo("shelf of novels"));
        session.call("prompts/get", prompt).body("error", nullValue());
        session.call("completion/complete", Map.of("ref", Map.of("type", "ref/prompt", "name", "review"), "argument",
                Map.of("name", "title", "value", "E"))).body("result.completion.values[0]", equalTo("Emma"));

        session.tool("shelf").body("result.isError", equalTo(true));
        session.call("prompts/get", prompt).body("error.code", equalTo(429));
    }

    @Test
    void eachCallOfABatchIsCounted() {
        JsonObject call = McpSession.request("tools/call", Map.of("name", "plain"));

        String events = new McpSession().post("[" + call + "," + call + "," + call + "]").statusCode(200).extract().asString();

        assertThat(events.split("\"isError\":true", -1)).hasSize(2);
        assertThat(events.split("\"isError\":false", -1)).hasSize(3);
    }

    @Test
    void routeLimitsWholeRequests() {
        McpSession session = new McpSession(given().header("X-Requests", "mcp"));

        session.post(McpSession.request("tools/list", Map.of()).encode()).statusCode(429)
                .contentType("application/problem+json").header("Retry-After", matchesPattern("\\d+"));
    }

    @Test
    void callOverStandardInputHasNoAddress() throws IOException {
        InputStream input = System.in;
        PipedInputStream toServer = new PipedInputStream(), fromServer = new PipedInputStream();
        try (PrintStream client = new PrintStream(new PipedOutputStream(toServer), true);
                BufferedReader answers = new BufferedReader(new InputStreamReader(fromServer))) {
            System.setIn(toServer);
            stdio.initialize(new PrintStream(new PipedOutputStream(fromServer), true));
            System.setIn(input);
            client.println(McpSession.INITIALIZE);
            assertThat(answers.readLine()).contains("serverInfo");
            client.println(McpSession.INITIALIZED);

            assertThat(tool(client, answers, "plain").getBoolean("result.isError")).isFalse();
            assertThat(tool(client, answers, "plain").getBoolean("result.isError")).isFalse();
            assertThat(tool(client, answers, "plain").getString("result.content[0].text"))
                    .matches(DENIED.formatted("calls"));
            assertThat(tool(client, answers, "mine").getString("result.content[0].text"))
                    .isEqualTo("Policy calls-by-user cannot identify the caller.");
            new McpSession().tool("plain").body("result.isError", equalTo(false));
        }
    }

    private static JsonPath tool(PrintStream client, BufferedReader answers, String tool) throws IOException {
        client.println(McpSession.request("tools/call", Map.of("name", tool)));
        return JsonPath.from(answers.readLine());
    }
}
