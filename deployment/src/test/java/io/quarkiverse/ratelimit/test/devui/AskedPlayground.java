package io.quarkiverse.ratelimit.test.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.vertx.core.json.JsonObject;

/** Asks the playground as its page does. */
final class AskedPlayground {

    private final int port;

    AskedPlayground(int port) {
        this.port = port;
    }

    void explainsBadInput() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            List<String> alice = List.of("alice");

            assertFails(rpc.ask("peek", Map.of("policy", "nothing", "key", alice)), "No policy is called \"nothing\"");
            assertFails(rpc.ask("peek", Map.of("policy", "quotes", "key", List.of(" "))),
                    "Give a value for header:x-api-key.");
            assertFails(rpc.ask("take", Map.of("policy", "quotes", "key", alice, "cost", "many")),
                    "The cost must be a whole number from 1 to 1000000000, but is many.");
            assertFails(rpc.ask("override", Map.of("policy", "quotes", "key", alice, "limit", "default", "permits", "0",
                    "period", "", "burst", "", "ttl", "1m")), "permits must be 1 to 1000000000, but is 0");
            assertFails(rpc.ask("giveBack", Map.of()), "There is nothing to give back.");
        }
    }

    void holdsConcurrency() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            Map<String, Object> worker = Map.of("policy", "mails", "key", List.of("worker"), "cost", "2");

            assertThat(rpc.ask("take", worker).getString("text")).isEqualTo("Admitted: took 2, 0 left.");
            assertThat(rpc.ask("peek", worker).getString("text")).startsWith("0 left");
            assertThat(rpc.ask("giveBack", Map.of()).getString("text")).isEqualTo("Gave back 2 to worker. 2 left.");
        }
    }

    private static void assertFails(JsonObject answer, String message) {
        assertThat(answer.getBoolean("failed")).isTrue();
        assertThat(answer.getString("text")).startsWith(message);
    }
}
