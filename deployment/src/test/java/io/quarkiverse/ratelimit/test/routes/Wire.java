package io.quarkiverse.ratelimit.test.routes;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;

import org.eclipse.microprofile.config.ConfigProvider;

/** Sends requests exactly as they are written, which no HTTP client does. */
final class Wire {

    private Wire() {
    }

    /** The whole response to a request with this target. */
    static String get(String target, String... headers) {
        return exchange("GET", target, "", headers);
    }

    static String exchange(String method, String target, String body, String... headers) {
        try (Socket socket = send(method, target, body, headers)) {
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection whose response was not read yet. */
    static Socket send(String method, String target, String body, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(method).append(' ').append(target)
                .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        if (!body.isEmpty()) {
            request.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        Socket socket = new Socket("127.0.0.1", port());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(request.append("\r\n").append(body).toString().getBytes(ISO_8859_1));
        return socket;
    }

    static int status(String response) {
        return Integer.parseInt(response.substring(9, 12));
    }

    static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }
}
