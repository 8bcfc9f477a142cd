package io.quarkiverse.ratelimit.langchain4j.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Speaks the chat completions of OpenAI, also as a stream, its moderations and its images. The user's last message decides what
 * it does. Each response of a chat uses 30 tokens.
 */
final class ModelServer {

    static final String FAIL = "fail";
    /** Streams two words, then nothing. */
    static final String HANG = "hang";
    /** Streams two words, then closes the connection. */
    static final String BREAK = "break";
    /** Requests a tool first. */
    static final String TOOL = "tool";
    /** Requests a tool, then fails. */
    static final String LATE = "late";
    /** Never responds. */
    static final String MUTE = "mute";
    /** Fails once. */
    static final String FLAKY = "flaky";
    /** Violates the rules of the moderation. */
    static final String RUDE = "rude";
    /** Answers 429 with Retry-After. */
    static final String BUSY = "busy";
    /** Requests a tool, then answers 429 with Retry-After. */
    static final String BUSY_LATER = "crowded";
    /** Reports no usage. */
    static final String SILENT = "silent";
    /** Reports zeros. */
    static final String ZERO = "zero";
    /** Reports no total. */
    static final String PARTS = "parts";
    /** Reports far more than the limit. */
    static final String HUGE = "huge";
    /** Reports more than any limit can count. */
    static final String ENORMOUS = "enormous";

    private final HttpServer server;
    private final Set<String> failedOnce = ConcurrentHashMap.newKeySet();

    ModelServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/v1/chat/completions", this::complete);
        server.createContext("/v1/moderations", this::moderate);
        server.createContext("/v1/images/generations", exchange -> respond(exchange, 200, new JsonObject().put("created", 1)
                .put("data", new JsonArray().add(new JsonObject().put("url", "http://localhost/picture")))));
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort() + "/v1";
    }

    private void complete(HttpExchange exchange) throws IOException {
        JsonObject request = new JsonObject(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        JsonArray messages = request.getJsonArray("messages");
        // earlier messages are those of the chat memory
        String asked = messages.stream().map(JsonObject.class::cast).filter(m -> m.getString("role").equals("user"))
                .reduce((first, second) -> second).orElseThrow().getString("content");
        boolean toolResult = messages.getJsonObject(messages.size() - 1).getString("role").equals("tool");
        if (asked.contains(MUTE)) {
            return;
        }
        if (asked.contains(BUSY) || asked.contains(BUSY_LATER) && toolResult) {
            exchange.getResponseHeaders().set("Retry-After", "600");
            respond(exchange, 429, new JsonObject().put("error", new JsonObject().put("message", "busy")));
        } else if (asked.contains(FAIL) || asked.contains(LATE) && toolResult
                || asked.contains(FLAKY) && failedOnce.add(asked)) {
            respond(exchange, 500, new JsonObject().put("error", new JsonObject().put("message", "failed")));
        } else if (!request.getBoolean("stream", false)) {
            JsonObject message = new JsonObject().put("role", "assistant");
            if (requestsTool(asked) && !toolResult) {
                message.put("tool_calls", toolCalls());
            } else {
                message.put("content", "one two three");
            }
            JsonObject response = choice("message", message, "stop");
            respond(exchange, 200, asked.contains(SILENT) ? response : response.put("usage", usage(asked)));
        } else {
            stream(exchange, request, asked, toolResult);
        }
    }

    private static boolean requestsTool(String asked) {
        return asked.contains(TOOL) || asked.contains(LATE) || asked.contains(BUSY_LATER);
    }

    private void stream(HttpExchange exchange, JsonObject request, String asked, boolean toolResult) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        // a client may close the connection of a stream when another call already uses it again
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        if (requestsTool(asked) && !toolResult) {
            event(out, choice("delta", new JsonObject().put("role", "assistant").put("tool_calls", toolCalls()), null));
            event(out, choice("delta", new JsonObject(), "tool_calls"));
        } else {
            event(out, choice("delta", new JsonObject().put("role", "assistant").put("content", "one two "), null));
            event(out, choice("delta", new JsonObject().put("content", "three"), null));
            if (asked.contains(HANG)) {
                return;
            }
            if (asked.contains(BREAK)) {
                throw new IOException("The connection breaks");
            }
            event(out, choice("delta", new JsonObject(), "stop"));
        }
        boolean included = request.getJsonObject("stream_options", new JsonObject()).getBoolean("include_usage", false);
        if (included && !asked.contains(SILENT)) {
            event(out, new JsonObject().put("id", "1").put("object", "chat.completion.chunk").put("model", "test")
                    .put("choices", new JsonArray()).put("usage", usage(asked)));
        }
        out.write("data: [DONE]\n\n".getBytes(UTF_8));
        out.close();
    }

    private void moderate(HttpExchange exchange) throws IOException {
        boolean rude = new String(exchange.getRequestBody().readAllBytes(), UTF_8).contains(RUDE);
        respond(exchange, 200, new JsonObject().put("id", "1").put("model", "test").put("results", new JsonArray()
                .add(new JsonObject().put("flagged", rude).put("categories", new JsonObject())
                        .put("category_scores", new JsonObject()))));
    }

    private static JsonObject usage(String asked) {
        int prompt = asked.contains(ZERO) ? 0 : asked.contains(HUGE) ? 50_000 : asked.contains(ENORMOUS) ? 2_000_000_000 : 20;
        int response = asked.contains(ZERO) ? 0 : 10;
        JsonObject usage = new JsonObject().put("prompt_tokens", prompt).put("completion_tokens", response);
        return asked.contains(PARTS) ? usage : usage.put("total_tokens", prompt + response);
    }

    private static JsonObject choice(String part, JsonObject content, String finish) {
        return new JsonObject().put("id", "1").put("object", "chat.completion").put("created", 1).put("model", "test")
                .put("choices", new JsonArray()
                        .add(new JsonObject().put("index", 0).put(part, content).put("finish_reason", finish)));
    }

    private static JsonArray toolCalls() {
        return new JsonArray().add(new JsonObject().put("index", 0).put("id", "call_1").put("type", "function")
                .put("function", new JsonObject().put("name", "time").put("arguments", "{}")));
    }

    private static void event(OutputStream out, JsonObject event) throws IOException {
        out.write(("data: " + event.encode() + "\n\n").getBytes(UTF_8));
        out.flush();
    }

    private static void respond(HttpExchange exchange, int status, JsonObject body) throws IOException {
        byte[] bytes = body.encode().getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
