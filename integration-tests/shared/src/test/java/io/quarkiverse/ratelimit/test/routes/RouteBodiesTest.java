package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestForm;
import org.jboss.resteasy.reactive.multipart.FileUpload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.vertx.ext.web.Router;

/** What a client sends is complete after the decision, also of a request that was delayed. */
@QuarkusTest
class RouteBodiesTest {

    private static final int SIZE = 1_000_000;

    @ParameterizedTest
    @ValueSource(strings = { "/sent/now/bytes", "/sent/later/bytes", "/sent/now/bytes", "/sent/later/bytes", "/sent/plain" })
    void largeBody(String path) {
        assertThat(given().body(new byte[SIZE]).post(path).asString()).isEqualTo("" + SIZE);
    }

    @ParameterizedTest
    @ValueSource(strings = { "/sent/now/file", "/sent/later/file" })
    void multipart(String path) {
        for (int request = 0; request < 3; request++) {
            assertThat(given().multiPart("file", "name", new byte[SIZE]).post(path).asString()).isEqualTo("" + SIZE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "/sent/now/bytes", "/sent/later/bytes" })
    void chunks(String path) throws Exception {
        for (int request = 0; request < 3; request++) {
            try (Socket socket = new Socket("127.0.0.1", Wire.port())) {
                socket.getOutputStream().write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n").getBytes(ISO_8859_1));
                socket.getOutputStream().write("3\r\nfgh\r\n0\r\n\r\n".getBytes(ISO_8859_1));

                assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1)).endsWith("\r\n8");
            }
        }
    }

    @Test
    void connectionGoesOnAfterADeniedBody() throws Exception {
        given().post("/sent/denied");
        String body = "x".repeat(SIZE);
        try (Socket socket = new Socket("127.0.0.1", Wire.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(("POST /sent/denied HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + SIZE
                    + "\r\n\r\n" + body + "POST /sent/plain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Length: 3\r\n\r\nabc").getBytes(ISO_8859_1));

            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 429").contains("HTTP/1.1 200").endsWith("\r\n3");
        }
    }

    @Test
    void webSocket() throws Exception {
        for (int connection = 0; connection < 3; connection++) {
            CompletableFuture<String> response = new CompletableFuture<>();
            WebSocket socket = HttpClient.newHttpClient().newWebSocketBuilder()
                    .buildAsync(URI.create("ws://localhost:" + Wire.port() + "/sent/socket"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
                            response.complete(text.toString());
                            return null;
                        }
                    }).join();
            socket.sendText("hello", true).join();

            assertThat(response.get()).isEqualTo("hello");
            socket.abort();
        }
    }

    @Path("/sent")
    public static class Sizes {
        @POST
        @Path("{when}/bytes")
        public int bytes(byte[] body) {
            return body.length;
        }

        @POST
        @Path("{when}/file")
        public long file(@RestForm FileUpload file) {
            return file.size();
        }
    }

    @ApplicationScoped
    public static class Plain {
        void serve(@Observes Router router) {
            router.post("/sent/plain").handler(context -> {
                context.request().body().onSuccess(body -> context.end(Integer.toString(body.length())));
                context.request().resume();
            });
            router.get("/sent/socket").handler(context -> context.request().toWebSocket()
                    .onSuccess(socket -> socket.textMessageHandler(socket::writeTextMessage)));
        }
    }
}
