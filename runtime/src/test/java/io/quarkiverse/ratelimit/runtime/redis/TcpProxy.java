package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;

/** Stands between a client and Redis and breaks connections as networks do. */
public final class TcpProxy implements AutoCloseable {

    private final Vertx vertx;
    private final NetServer server;
    private final NetClient client;
    private final int target;
    private final List<NetSocket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean swallowing, mute, closing;
    private volatile long delay;

    public TcpProxy(Vertx vertx, int target) {
        this.vertx = vertx;
        this.target = target;
        client = vertx.createNetClient();
        server = vertx.createNetServer().connectHandler(this::accept);
        RealRedis.await(server.listen(0, "127.0.0.1"));
    }

    public String address() {
        return "redis://127.0.0.1:" + server.actualPort();
    }

    int accepted() {
        return accepted.get();
    }

    /** Takes whatever comes and passes nothing on, on old connections and new ones. */
    public void swallow() {
        swallowing = true;
    }

    /** Forwards requests, and no replies. */
    public void dropReplies() {
        mute = true;
    }

    /** Drops the open connections silently, and forwards what arrives over new ones. */
    public void recover() {
        sockets.clear();
        swallowing = false;
        mute = false;
    }

    /** Delays replies by this much; their order stays while this does not change. */
    public void delay(Duration time) {
        delay = time.toMillis();
    }

    /** Closes all connections, and new ones with the first reply. */
    void closeAfterFirstReply() {
        closing = true;
        sockets.forEach(NetSocket::close);
    }

    private void accept(NetSocket caller) {
        accepted.incrementAndGet();
        sockets.add(caller);
        boolean lost = swallowing;
        caller.pause();
        client.connect(target, "127.0.0.1").onFailure(ignored -> caller.close()).onSuccess(redis -> {
            caller.handler(data -> {
                if (!lost && sockets.contains(caller) && !swallowing) {
                    redis.write(data);
                }
            });
            redis.handler(data -> {
                if (!lost && sockets.contains(caller) && !swallowing && !mute) {
                    passOn(data, caller);
                }
            });
            caller.closeHandler(ignored -> redis.close());
            redis.closeHandler(ignored -> caller.close());
            caller.resume();
        });
    }

    private void passOn(Buffer data, NetSocket caller) {
        if (delay > 0) {
            vertx.setTimer(delay, ignored -> caller.write(data));
            return;
        }
        caller.write(data).onComplete(ignored -> {
            if (closing) {
                caller.close();
            }
        });
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
