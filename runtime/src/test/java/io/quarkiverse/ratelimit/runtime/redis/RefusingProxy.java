package io.quarkiverse.ratelimit.runtime.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.redis.client.Redis;

/**
 * Stands before a real Redis and refuses commands, as managed servers do. Redis itself returns the error, by a script in
 * place of the command, so replies keep their order.
 */
final class RefusingProxy implements AutoCloseable {

    private final Vertx vertx;
    private final int target;
    private final Predicate<Call> refused;
    private final Buffer refusal = Buffer.buffer();
    private final NetServer server;
    private final NetClient client;
    private final List<NetSocket> sockets = new CopyOnWriteArrayList<>();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    /** @param error what refused commands return */
    RefusingProxy(Vertx vertx, int target, Predicate<Call> refused, String error) {
        this.vertx = vertx;
        this.target = target;
        this.refused = refused;
        append(List.of("EVAL", "return redis.error_reply(ARGV[1])", "0", error));
        client = vertx.createNetClient();
        server = vertx.createNetServer().connectHandler(this::accept);
        RealRedis.await(server.listen(0, "127.0.0.1"));
    }

    private void append(List<String> words) {
        refusal.appendString("*" + words.size() + "\r\n");
        words.forEach(word -> refusal.appendString("$" + word.length() + "\r\n" + word + "\r\n"));
    }

    /** A command with its arguments. */
    record Call(List<String> words) {

        String name() {
            return words.get(0).toUpperCase(Locale.ROOT);
        }

        boolean isScript() {
            return name().equals("EVAL") || name().equals("EVALSHA");
        }

        boolean isScriptWithKeys() {
            return isScript() && !words.get(2).equals("0");
        }
    }

    String address() {
        return "redis://127.0.0.1:" + server.actualPort();
    }

    Redis newClient() {
        return Redis.createClient(vertx, address());
    }

    /** All commands so far. */
    List<Call> calls() {
        return calls;
    }

    /** Closes all connections, and new ones at once. */
    void cut() {
        cut = true;
        sockets.forEach(NetSocket::close);
    }

    void restore() {
        cut = false;
    }

    private void accept(NetSocket caller) {
        if (cut) {
            caller.close();
            return;
        }
        sockets.add(caller);
        caller.pause();
        client.connect(target, "127.0.0.1").onFailure(ignored -> caller.close()).onSuccess(redis -> {
            Incoming incoming = new Incoming(redis);
            caller.handler(incoming::read);
            redis.handler(caller::write);
            caller.closeHandler(ignored -> redis.close());
            redis.closeHandler(ignored -> caller.close());
            caller.resume();
        });
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }

    /** Reads the commands of one connection. */
    private final class Incoming {

        private final NetSocket redis;
        private String unread = "";
        private int position;

        Incoming(NetSocket redis) {
            this.redis = redis;
        }

        void read(Buffer data) {
            unread += data.toString(ISO_8859_1);
            for (Call call = next(); call != null; call = next()) {
                calls.add(call);
                redis.write(refused.test(call) ? refusal : Buffer.buffer(unread.substring(0, position), "ISO-8859-1"));
                unread = unread.substring(position);
            }
        }

        /** The next command, or {@code null} if it is not complete. */
        private Call next() {
            position = 0;
            int count = number();
            List<String> words = new ArrayList<>();
            while (words.size() < count) {
                int length = number();
                if (length < 0 || unread.length() < position + length + 2) {
                    return null;
                }
                words.add(unread.substring(position, position + length));
                position += length + 2;
            }
            return count < 0 ? null : new Call(words);
        }

        private int number() {
            int end = unread.indexOf("\r\n", position);
            if (end < 0) {
                return -1;
            }
            int number = Integer.parseInt(unread.substring(position + 1, end));
            position = end + 2;
            return number;
        }
    }
}
