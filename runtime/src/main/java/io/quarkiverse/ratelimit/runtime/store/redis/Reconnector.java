package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.ScriptConnection;
import io.vertx.redis.client.Request;

/**
 * Keeps a connection to Redis open: opens it, and reconnects when it is lost. All methods run on one event loop.
 *
 * <p>
 * A lost connection is usually replaced at once. If that fails, Redis is unavailable until another attempt succeeds,
 * within a second after it returns. A server that accepts connections may still not reply. So Redis must reply over each
 * connection before it is used.
 */
final class Reconnector {

    /** Age in nanoseconds from which a lost connection is replaced at once. */
    private static final long STEADY = TimeUnit.SECONDS.toNanos(1);
    /** Milliseconds that connecting may take: longer for the first connection, which also initializes the client. */
    private static final long FIRST_CONNECT_TIMEOUT = 2_000;
    private static final long CONNECT_TIMEOUT = 800;
    /** Milliseconds for which late replies are read from a silent connection that is no longer used. */
    private static final long LATEST_REPLY = 10_000;
    /** Milliseconds between attempts to connect, before jitter of up to a half. */
    private static final long PAUSE = 200;

    private final EventLoop loop;
    private final RedisConnector connector;
    private final Request check;
    private final Outage outage;
    /** Time in nanoseconds that a decision may take. */
    private final long timeout;
    private final ConnectionListener listener;
    private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();
    /** Connection that is ready, or {@code null}. */
    ScriptConnection connection;
    volatile boolean hasConnected;
    private boolean connecting, unavailable, hasReplaced, closed;
    private long attempted;

    /** @param check the command to which Redis must reply */
    Reconnector(EventLoop loop, RedisConnector connector, Request check, Outage outage, long timeout,
            ConnectionListener listener) {
        this.loop = loop;
        this.connector = connector;
        this.check = check;
        this.outage = outage;
        this.timeout = timeout;
        this.listener = listener;
    }

    /** Returns whether there is no connection, and calls should not wait for one. */
    boolean isUnavailable() {
        return unavailable || closed;
    }

    /**
     * Connects before the first request; may be called on any thread. Completes when Redis is connected or known to be
     * unavailable.
     */
    CompletionStage<Void> open() {
        if (!firstAttempt.isDone()) {
            loop.run(this::connect);
        }
        return firstAttempt;
    }

    /** Connects, unless there is a connection or an attempt is under way. */
    void connect() {
        if (connecting || closed || connection != null) {
            return;
        }
        connecting = true;
        attempted = System.nanoTime();
        long connectTimeout = hasConnected ? CONNECT_TIMEOUT : FIRST_CONNECT_TIMEOUT;
        long replyTimeout = hasConnected ? Math.max(1, Math.min(connectTimeout, TimeUnit.NANOSECONDS.toMillis(timeout)))
                : connectTimeout;
        connector.connect(loop, connectTimeout).compose(fresh -> fresh.checked(check, loop, replyTimeout))
                .onComplete(ignored -> connecting = false).onSuccess(this::use).onFailure(cause -> {
                    if (!closed) {
                        markUnavailable(cause);
                    }
                });
    }

    private void use(ScriptConnection fresh) {
        if (closed) {
            fresh.close();
            return;
        }
        connection = fresh;
        hasConnected = true;
        markAvailable();
        outage.connected();
        fresh.onLost(cause -> replace(fresh, cause));
        listener.connected();
        firstAttempt.complete(null);
    }

    private void markAvailable() {
        if (unavailable) {
            unavailable = false;
            outage.queueAvailable();
        }
    }

    /** Replaces the connection if another server is the master. */
    void replaceOldMaster() {
        if (connection != null && connection.lookForOtherMaster()) {
            replace(connection, new RedisStoreException("Another Redis is the master now"));
        }
    }

    /**
     * Marks Redis as unavailable if it sent nothing while a request ran into its timeout.
     *
     * @param now when the late requests were found: failing them takes time in which nothing is read
     */
    void markUnavailableIfSilent(long now) {
        replaceOldMaster();
        boolean silent = connection == null ? !isUnavailable() && ScriptConnection.isTooLong(now - attempted, timeout)
                : connection.isSilent(now, timeout);
        if (silent) {
            markUnavailable(RedisStoreException.late());
        }
    }

    /** Replaces a lost connection if it is the first one, has worked, or was steady. Else marks Redis as unavailable. */
    void replace(ScriptConnection lost, Throwable cause) {
        if (connection == lost) {
            drop();
            if (!hasReplaced || lost.hasWorked() || System.nanoTime() - attempted >= STEADY) {
                hasReplaced = true;
                connect();
            } else {
                markUnavailable(cause);
            }
        }
    }

    /**
     * Marks Redis as unavailable until a new connection is ready, and fails all requests. Late replies are still read from the
     * connection for some time.
     */
    void markUnavailable(Throwable cause) {
        ScriptConnection dropped = connection;
        connection = null;
        if (dropped != null) {
            dropped.closeWhenIdle();
            loop.setTimer(LATEST_REPLY, dropped::close);
        }
        if (unavailable) {
            outage.updateReason(cause);
        } else {
            unavailable = true;
            outage.queueUnavailable(cause);
        }
        // an attempt that is under way sets this timer when it fails
        if (!connecting) {
            long sinceLast = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - attempted);
            loop.setTimer(PAUSE + ThreadLocalRandom.current().nextLong(PAUSE / 2) - sinceLast, this::connect);
        }
        firstAttempt.complete(null);
        listener.unavailable(cause);
    }

    void close() {
        closed = true;
        drop();
        // a closed queue must not prolong the outage that all queues share
        markAvailable();
        firstAttempt.complete(null);
        listener.unavailable(new RedisStoreException("The application is stopping"));
    }

    private void drop() {
        ScriptConnection dropped = connection;
        connection = null;
        if (dropped != null) {
            dropped.close();
        }
    }
}
