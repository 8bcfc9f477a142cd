package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * Keeps a connection to Redis open: opens it, and another when it is lost. All of it runs on one event loop.
 *
 * <p>
 * A connection that had worked is replaced at once. Where that fails Redis is away: it is tried again and again, ever
 * more rarely but often enough to be used again within a second. As a server that takes connections may still answer no
 * scripts, one has to run in time then, and at first, before the connection counts.
 */
final class Link {

    private static final long STEADY = TimeUnit.SECONDS.toNanos(1);
    /** How many milliseconds connecting may take, at first when everything is done for the first time, and later. */
    private static final long FIRST_DEADLINE = 2_000;
    private static final long DEADLINE = 800;
    private static final long NO_TIMER = -1;

    private final ContextInternal loop;
    private final RedisConnector connector;
    private final Outage outage;
    private final long timeout;
    private final Runnable opened;
    private final Consumer<Throwable> left;
    private final Backoff backoff = new Backoff();
    private LaneConnection connection;
    private boolean connecting, stood, away, closed;
    private long attempted;
    private long retry = NO_TIMER;

    /**
     * @param timeout how many nanoseconds a decision may take
     * @param opened called whenever a connection stands
     * @param left called whenever Redis goes away
     */
    Link(ContextInternal loop, RedisConnector connector, Outage outage, long timeout, Runnable opened,
            Consumer<Throwable> left) {
        this.loop = loop;
        this.connector = connector;
        this.outage = outage;
        this.timeout = Math.max(1, Math.min(DEADLINE, TimeUnit.NANOSECONDS.toMillis(timeout)));
        this.opened = opened;
        this.left = left;
    }

    /** The connection that stands, or {@code null}. */
    LaneConnection connection() {
        return connection;
    }

    /** Whether there is no connection and it is not worth waiting for one. */
    boolean isAway() {
        return away || closed;
    }

    /** Whether nothing was heard of Redis while a question ran into its timeout, in nanoseconds. */
    boolean isSilent(long now, long timeout) {
        return connection == null ? !isAway() && now - attempted >= timeout / 10 * 9 : connection.isSilent(now, timeout);
    }

    void connect() {
        if (connecting || closed || connection != null) {
            return;
        }
        connecting = true;
        attempted = System.nanoTime();
        connector.connect(loop, stood ? DEADLINE : FIRST_DEADLINE).compose(this::tried).onComplete(result -> {
            connecting = false;
            if (result.failed()) {
                leave(result.cause());
            } else if (closed) {
                result.result().close();
            } else {
                stands(result.result());
            }
        });
    }

    /** The same connection once it is known to be of use. */
    private Future<LaneConnection> tried(LaneConnection fresh) {
        if (stood && !outage.lasts()) {
            return loop.succeededFuture(fresh);
        }
        Promise<LaneConnection> tried = loop.promise();
        long timer = loop.setTimer(stood ? timeout : FIRST_DEADLINE,
                ignored -> tried.tryFail(new RedisStoreException("Nothing was answered in time")));
        fresh.onLost(tried::tryFail);
        fresh.redis().send(Request.cmd(Command.EVAL).arg("return 0").arg(0)).onSuccess(ran -> tried.tryComplete(fresh))
                .onFailure(refused -> tried.tryFail(RedisStoreException.refused(refused.getMessage())));
        return tried.future().onComplete(done -> {
            loop.owner().cancelTimer(timer);
            if (done.failed()) {
                fresh.close();
            }
        });
    }

    private void stands(LaneConnection fresh) {
        connection = fresh;
        stood = true;
        returned();
        outage.connected();
        fresh.onLost(cause -> lost(fresh, cause));
        opened.run();
    }

    private void returned() {
        if (away) {
            away = false;
            outage.returned();
        }
    }

    /** Redis has counted in time what was asked then: it is no longer away, whatever happened before that. */
    void worked(long asked) {
        backoff.reset();
        outage.end(asked);
    }

    /** Replaces the connection when another Redis is known to count now. */
    void leaveIfOutdated() {
        if (connection != null && connection.isOutdated()) {
            lost(connection, new RedisStoreException("Another Redis is the master now"));
        }
    }

    /** Replaces this connection. */
    void lost(LaneConnection lost, Throwable cause) {
        if (connection == lost) {
            drop();
            if (lost.age() >= STEADY) {
                backoff.reset();
            }
            if (backoff.next() == 0) {
                connect();
            } else {
                leave(cause);
            }
        }
    }

    /** Gives Redis up until a new connection stands. */
    void leave(Throwable cause) {
        drop();
        if (!closed) {
            if (away) {
                outage.stays(cause);
            } else {
                away = true;
                outage.left(cause);
            }
            if (!connecting) {
                long sinceLast = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - attempted);
                retry = loop.setTimer(Math.max(1, backoff.next() - sinceLast), ignored -> connect());
            }
        }
        left.accept(cause);
    }

    void close(Throwable cause) {
        closed = true;
        returned();
        loop.owner().cancelTimer(retry);
        leave(cause);
    }

    private void drop() {
        LaneConnection dropped = connection;
        connection = null;
        if (dropped != null) {
            dropped.close();
        }
    }
}
