package io.quarkiverse.ratelimit.test.key;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

import org.eclipse.microprofile.config.ConfigProvider;

/** Sends one request over a connection from an address of the test's choice, such as 127.0.0.2. */
final class RawHttp {

    private RawHttp() {
    }

    static String get(String from, String path, String... headers) {
        return exchange(from, "", path, headers);
    }

    static String exchange(String from, String preamble, String path, String... headers) {
        String response = response(from, preamble, path, headers);
        return response.substring(response.indexOf("\r\n\r\n") + 4);
    }

    /** The status of the response. */
    static int status(String path, String... headers) {
        return Integer.parseInt(response("127.0.0.1", "", path, headers).split(" ", 3)[1]);
    }

    private static String response(String from, String preamble, String path, String... headers) {
        StringBuilder request = new StringBuilder(preamble).append("GET ").append(path)
                .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(new InetSocketAddress("127.0.0.1", port()), 20_000);
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.append("\r\n").toString().getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }
}
