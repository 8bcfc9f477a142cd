package io.quarkiverse.ratelimit.it.faults;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;

/** A proxy between the application and Redis that behaves like a bad network. */
final class FaultyLink {

    private static final Treatment PASS = (way, data) -> way.write(data, 0);

    private final Vertx vertx;
    private final NetClient client;
    private final int target;
    private final int port;
    /** The application's side of each connection that still works. */
    private final Set<NetSocket> known = ConcurrentHashMap.newKeySet();
    private final Set<NetSocket> dropped = ConcurrentHashMap.newKeySet();
    private NetServer server;
    private volatile Treatment requests = PASS;
    private volatile Treatment replies = PASS;

    /** What happens to data on its way. */
    private interface Treatment {
        void pass(Way way, Buffer data);
    }

    FaultyLink(Vertx vertx, int target) {
        this.vertx = vertx;
        this.target = target;
        client = vertx.createNetClient();
        listen(0);
        port = server.actualPort();
    }

    private void listen(int port) {
        server = vertx.createNetServer().connectHandler(this::accept);
        FaultyRedis.await(server.listen(port, "127.0.0.1"));
    }

    int port() {
        return port;
    }

    void swallowRequests() {
        requests = (way, data) -> {
        };
    }

    void swallowReplies() {
        replies = (way, data) -> {
        };
    }

    /** @param millis the delay of everything, in both directions */
    void delay(long millis) {
        requests = (way, data) -> way.write(data, millis);
        replies = requests;
    }

    void breakIntoPieces() {
        replies = (way, data) -> {
            for (int at = 0; at < data.length(); at += 7) {
                way.write(data.slice(at, Math.min(data.length(), at + 7)), 1);
            }
        };
    }

    /** Replies with something that is not Redis. */
    void replyWithGarbage() {
        replies = (way, data) -> way.write(Buffer.buffer("HTTP/1.1 400 Bad Request\r\n\r\n"), 0);
    }

    void passAgain() {
        requests = PASS;
        replies = PASS;
    }

    /** Silently drops everything on existing connections from now on. */
    void dropConnections() {
        dropped.addAll(known);
        known.clear();
    }

    /** Closes the dropped connections, which idle clients have not noticed. */
    void closeDropped() {
        dropped.forEach(NetSocket::close);
    }

    void closeConnections() {
        known.forEach(NetSocket::close);
    }

    /** Closes all connections, and accepts no new ones. */
    void closeServer() {
        FaultyRedis.await(server.close());
    }

    void acceptAgain() {
        listen(port);
    }

    private void accept(NetSocket application) {
        known.add(application);
        application.pause().exceptionHandler(reset -> application.close());
        client.connect(target, "127.0.0.1").onFailure(unreachable -> application.close()).onSuccess(redis -> {
            redis.exceptionHandler(reset -> redis.close());
            Way there = new Way(redis);
            Way back = new Way(application);
            application.handler(data -> {
                if (known.contains(application)) {
                    requests.pass(there, data);
                }
            });
            redis.handler(data -> {
                if (known.contains(application)) {
                    replies.pass(back, data);
                }
            });
            application.closeHandler(ignored -> {
                known.remove(application);
                dropped.remove(application);
                redis.close();
            });
            redis.closeHandler(ignored -> application.close());
            application.resume();
        });
    }

    /** One direction of a connection; data arrives in the order in which it was sent. */
    private final class Way {

        private final NetSocket to;
        private final Queue<Buffer> delayed = new ArrayDeque<>();

        Way(NetSocket to) {
            this.to = to;
        }

        void write(Buffer data, long delay) {
            if (delay == 0 && delayed.isEmpty()) {
                to.write(data);
            } else {
                delayed.add(data);
                vertx.setTimer(Math.max(1, delay), ignored -> to.write(delayed.poll()));
            }
        }
    }
}
