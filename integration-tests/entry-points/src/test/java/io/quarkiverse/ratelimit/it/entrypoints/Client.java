package io.quarkiverse.ratelimit.it.entrypoints;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A WebSocket connection that collects what it receives. */
final class Client implements AutoCloseable, WebSocket.Listener {

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final WebSocket socket;

    /** @param headers names and values in turn */
    Client(URI server, String path, String... headers) {
        this(server, path, HttpClient.newHttpClient().newWebSocketBuilder(), headers);
    }

    private Client(URI server, String path, WebSocket.Builder builder, String... headers) {
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        socket = builder.buildAsync(URI.create("ws://localhost:" + server.getPort() + path), this).join();
    }

    static Client of(String subprotocol, URI server, String path) {
        return new Client(server, path, HttpClient.newHttpClient().newWebSocketBuilder().subprotocols(subprotocol));
    }

    static String[] as(String user) {
        return new String[] { "Authorization",
                "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes()) };
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
        received.add(text.toString());
        return WebSocket.Listener.super.onText(socket, text, last);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        closed.complete(status);
        return null;
    }

    void send(String text) {
        socket.sendText(text, true).join();
    }

    void pong() {
        socket.sendPong(ByteBuffer.allocate(0)).join();
    }

    String sendAndReceive(String text) throws InterruptedException {
        send(text);
        return receive();
    }

    /** The next message; {@code null} if none comes. */
    String receive() throws InterruptedException {
        return received.poll(10, TimeUnit.SECONDS);
    }

    int closeStatus() {
        return closed.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").orTimeout(10, TimeUnit.SECONDS).exceptionally(gone -> null).join();
    }
}
