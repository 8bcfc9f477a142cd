package io.quarkiverse.ratelimit.test.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.vertx.core.json.JsonObject;

/** Calls the playground as its page does. */
final class PlaygroundCalls {

    private final int port;

    PlaygroundCalls(int port) {
        this.port = port;
    }

    void explainsBadInput() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            List<String> alice = List.of("alice");

            assertFails(rpc.call("peek", Map.of("policy", "nothing", "key", alice)), "No policy has the name \"nothing\"");
            assertFails(rpc.call("peek", Map.of("policy", "quotes", "key", List.of(" "))),
                    "Enter a value for header:x-api-key.");
            assertFails(rpc.call("acquire", Map.of("policy", "quotes", "key", alice, "cost", "many")),
                    "The cost must be a whole number from 1 to 1000000000, but is many.");
            assertFails(rpc.call("override", Map.of("policy", "quotes", "key", alice, "limit", "default", "permits", "0",
                    "period", "", "burst", "", "duration", "1m")),
                    "Permits must be a whole number from 1 to 1000000000, but is 0.");
            assertFails(rpc.call("refund", Map.of()), "There is nothing to refund.");
        }
    }

    void holdsConcurrencyUntilRefunded() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            Map<String, Object> worker = Map.of("policy", "mails", "key", List.of("worker"), "cost", "2");

            assertThat(rpc.call("acquire", worker).getString("text")).isEqualTo("Allowed: acquired 2, 0 left.");
            assertThat(rpc.call("peek", worker).getString("text")).startsWith("0 left");
            assertThat(rpc.call("refund", Map.of()).getString("text")).isEqualTo("Refunded 2 to worker. 2 left.");
        }
    }

    private static void assertFails(JsonObject reply, String message) {
        assertThat(reply.getBoolean("failed")).isTrue();
        assertThat(reply.getString("text")).startsWith(message);
    }
}
