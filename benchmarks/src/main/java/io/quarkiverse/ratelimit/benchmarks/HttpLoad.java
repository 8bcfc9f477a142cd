package io.quarkiverse.ratelimit.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.IntConsumer;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;

/**
 * Sends requests of 10 000 callers to one application, over as many connections as there are requests in flight. It looks
 * only at the status and the length of each response, because processor time that it uses is not available to the application.
 */
final class HttpLoad {

    private static final int CALLERS = 10_000;
    private static final String HEAD_END = "\r\n\r\n";
    private static final String LENGTH = "content-length: ";
    private static final int STATUS_AT = "HTTP/1.1 ".length();

    private final Vertx vertx;
    private final int inFlight;
    private final Queue<Connection> idle = new ArrayDeque<>();

    HttpLoad(Vertx vertx, int port, int inFlight) throws Exception {
        this.vertx = vertx;
        this.inFlight = inFlight;
        NetClient client = vertx.createNetClient();
        List<Future<NetSocket>> sockets = new ArrayList<>();
        for (int i = 0; i < inFlight; i++) {
            sockets.add(client.connect(port, "127.0.0.1"));
        }
        Future.all(sockets).toCompletionStage().toCompletableFuture().get();
        sockets.forEach(socket -> idle.add(new Connection(socket.result())));
    }

    /** Requests the path, whose response has one of these statuses. */
    Rounds.Contender of(String path, Integer... expected) {
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Caller: caller-";
        List<Integer> statuses = List.of(expected);
        return deadline -> new StoreBenchmark.Loop(vertx, inFlight, deadline) {
            @Override
            void send(int n) {
                Connection free = idle.remove();
                free.send(request + n % CALLERS + HEAD_END, status -> {
                    idle.add(free);
                    if (statuses.contains(status)) {
                        done();
                    } else {
                        failed(new IllegalStateException(path + " responded with " + status));
                    }
                });
            }
        }.run();
    }

    private static final class Connection {

        private final NetSocket socket;
        private String received = "";
        private IntConsumer whenReceived;

        Connection(NetSocket socket) {
            this.socket = socket.handler(this::received);
        }

        void send(String request, IntConsumer status) {
            this.whenReceived = status;
            socket.write(Buffer.buffer(request));
        }

        private void received(Buffer part) {
            received += part.toString(StandardCharsets.ISO_8859_1);
            int bodyAt = received.indexOf(HEAD_END) + HEAD_END.length();
            if (bodyAt < HEAD_END.length()) {
                return;
            }
            int lengthAt = received.indexOf(LENGTH) + LENGTH.length();
            int length = Integer.parseInt(received, lengthAt, received.indexOf('\r', lengthAt), 10);
            if (received.length() == bodyAt + length) {
                int status = Integer.parseInt(received, STATUS_AT, STATUS_AT + 3, 10);
                received = "";
                whenReceived.accept(status);
            }
        }
    }
}
