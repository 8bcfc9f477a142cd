package io.quarkiverse.ratelimit.it.langchain4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Speaks the chat completions of OpenAI, also as a stream. The user's last message decides what it does. Each response uses 30
 * tokens.
 */
final class ModelServer {

    static final String FAIL = "fail";
    /** Streams two words, then nothing. */
    static final String HANG = "hang";
    /** Streams two words, then closes the connection. */
    static final String BREAK = "break";
    /** Requests a tool first. */
    static final String TOOL = "tool";
    /** Reports no usage. */
    static final String SILENT = "silent";

    private static final JsonObject USAGE = new JsonObject().put("prompt_tokens", 20).put("completion_tokens", 10)
            .put("total_tokens", 30);

    private final HttpServer server;

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
        if (asked.contains(FAIL)) {
            respond(exchange, 500, new JsonObject().put("error", new JsonObject().put("message", "failed")));
        } else if (!request.getBoolean("stream", false)) {
            JsonObject message = new JsonObject().put("role", "assistant");
            if (asked.contains(TOOL) && !toolResult) {
                message.put("tool_calls", toolCalls());
            } else {
                message.put("content", "one two three");
            }
            JsonObject response = choice("message", message, "stop");
            respond(exchange, 200, asked.contains(SILENT) ? response : response.put("usage", USAGE));
        } else {
            stream(exchange, request, asked, toolResult);
        }
    }

    private void stream(HttpExchange exchange, JsonObject request, String asked, boolean toolResult) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        if (asked.contains(TOOL) && !toolResult) {
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
                    .put("choices", new JsonArray()).put("usage", USAGE));
        }
        out.write("data: [DONE]\n\n".getBytes(UTF_8));
        out.close();
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
