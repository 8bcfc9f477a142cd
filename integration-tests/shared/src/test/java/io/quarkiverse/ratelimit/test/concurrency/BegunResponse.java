package io.quarkiverse.ratelimit.test.concurrency;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import org.eclipse.microprofile.config.ConfigProvider;

/** A response that has begun, over a protocol of the client's choice, and of which the client reads no more than it must. */
record BegunResponse(int status, InputStream body, AutoCloseable connection) implements AutoCloseable {

    enum Protocol {
        HTTP_1_0("1.0", ""),
        HTTP_1_0_KEPT("1.0", "Connection: keep-alive\r\n"),
        HTTP_1_1("1.1", ""),
        HTTP_1_1_CLOSED("1.1", "Connection: close\r\n"),
        /** The same request follows at once, for another caller. */
        HTTP_1_1_PIPELINED("1.1", ""),
        HTTP_2("2", "");

        private final String version;
        private final String header;

        Protocol(String version, String header) {
            this.version = version;
            this.header = header;
        }

        /** Sends a request and waits until its response begins. */
        BegunResponse get(String path, String key) throws IOException, InterruptedException {
            return this == HTTP_2 ? overHttp2(path, key) : overSocket(path, key);
        }

        private BegunResponse overSocket(String path, String key) throws IOException {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(8 * 1024);
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress("127.0.0.1", port()));
            socket.getOutputStream().write((request(path, key) + (this == HTTP_1_1_PIPELINED ? request(path, "next") : ""))
                    .getBytes(US_ASCII));
            InputStream response = socket.getInputStream();
            String statusLine = new String(response.readNBytes("HTTP/1.1 200".length()), US_ASCII);
            return new BegunResponse(Integer.parseInt(statusLine.substring(9)), response, socket);
        }

        private String request(String path, String key) {
            return "GET " + path + " HTTP/" + version + "\r\nHost: localhost\r\nX-Key: " + key + "\r\n" + header + "\r\n";
        }
    }

    /** With a connection of its own: Vert.x closes one on which a client leaves too many responses. */
    private static BegunResponse overHttp2(String path, String key) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        HttpResponse<InputStream> response = client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path)).header("X-Key", key).build(),
                BodyHandlers.ofInputStream());
        if (response.version() != HttpClient.Version.HTTP_2) {
            throw new IllegalStateException("not over HTTP/2");
        }
        return new BegunResponse(response.statusCode(), response.body(), response.body());
    }

    static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }

    /** Leaves, whatever is not read yet. */
    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
