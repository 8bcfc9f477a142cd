package io.quarkiverse.ratelimit.test.devui;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Calls the methods that the pages of the Dev UI call. */
final class JsonRpc implements WebSocket.Listener, AutoCloseable {

    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private final WebSocket socket;

    JsonRpc(int port) {
        socket = HttpClient.newHttpClient().newWebSocketBuilder()
                .buildAsync(URI.create("ws://localhost:" + port + "/q/dev-ui/json-rpc-ws"), this).join();
    }

    /** The result of the method. */
    JsonObject call(String method, Map<String, Object> parameters) throws InterruptedException {
        return result("quarkus-rate-limit_" + method, parameters).getJsonObject("object");
    }

    /** All properties of the application, as the page of Quarkus shows them. */
    JsonArray configuration() throws InterruptedException {
        return result("devui-configuration_getAllConfiguration", Map.of()).getJsonArray("object");
    }

    private JsonObject result(String method, Map<String, Object> parameters) throws InterruptedException {
        socket.sendText(new JsonObject().put("jsonrpc", "2.0").put("id", 1_000_000)
                .put("method", method).put("params", new JsonObject(parameters)).encode(), true).join();
        return new JsonObject(replies.poll(10, TimeUnit.SECONDS)).getJsonObject("result");
    }

    @Override
    public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        part.append(data);
        if (last) {
            replies.add(part.toString());
            part.setLength(0);
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public void close() {
        socket.abort();
    }
}
