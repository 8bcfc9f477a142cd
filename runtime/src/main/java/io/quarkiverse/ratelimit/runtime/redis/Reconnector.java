package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.connection.ScriptConnection;
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

    /** A lost connection that was opened this many nanoseconds ago is replaced at once. */
    private static final long STEADY = TimeUnit.SECONDS.toNanos(1);
    /** Milliseconds that connecting may take: longer for the first connection, which also initializes the client. */
    private static final long FIRST_CONNECT_TIMEOUT = 2_000;
    private static final long CONNECT_TIMEOUT = 800;
    /** Milliseconds for which late replies are read from a silent connection that is no longer used. */
    private static final long LATEST_REPLY = 10_000;
    /** Milliseconds between attempts to connect, before jitter of up to a half. */
    private static final long PAUSE = 200;

    private final RedisQueue queue;
    private final RedisConnector connector;
    private final Request check;
    private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();
    /** The connection that is ready, or {@code null}. */
    ScriptConnection connection;
    volatile boolean hasConnected;
    private boolean connecting, unavailable, hasReplaced, closed;
    private long attempted;

    /** @param check the command to which Redis must reply */
    Reconnector(RedisQueue queue, RedisConnector connector, Request check) {
        this.queue = queue;
        this.connector = connector;
        this.check = check;
    }

    /** Whether there is no connection, and calls should not wait for one. */
    boolean isUnavailable() {
        return unavailable || closed;
    }

    /**
     * Connects before the first request; may be called on any thread. Completes when Redis is connected or known to be
     * unavailable.
     */
    CompletionStage<Void> open() {
        if (!firstAttempt.isDone()) {
            queue.loop.run(this::connect);
        }
        return firstAttempt;
    }

    /** Does nothing if an attempt is under way. */
    void connect() {
        if (connecting || closed || connection != null) {
            return;
        }
        connecting = true;
        attempted = System.nanoTime();
        long connectTimeout = hasConnected ? CONNECT_TIMEOUT : FIRST_CONNECT_TIMEOUT;
        long replyTimeout = hasConnected ? Math.max(1, Math.min(connectTimeout, TimeUnit.NANOSECONDS.toMillis(queue.timeout)))
                : connectTimeout;
        connector.connect(queue.loop, connectTimeout).compose(fresh -> fresh.checked(check, queue.loop, replyTimeout))
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
        queue.outage.connected();
        fresh.onLost(cause -> replace(fresh, cause));
        queue.flush();
        firstAttempt.complete(null);
    }

    private void markAvailable() {
        if (unavailable) {
            unavailable = false;
            queue.outage.queueAvailable();
        }
    }

    /** Replaces the connection if another server is the master. */
    void replaceOldMaster() {
        if (connection != null && connection.lookForOtherMaster()) {
            replace(connection, new RedisStoreException("Another Redis is the master now"));
        }
    }

    /**
     * Marks Redis as unavailable if nothing came from it while a request ran into its timeout.
     *
     * @param now when the late requests were found: failing them takes time in which nothing is read
     */
    void markUnavailableIfSilent(long now) {
        replaceOldMaster();
        boolean silent = connection == null ? !isUnavailable() && ScriptConnection.isTooLong(now - attempted, queue.timeout)
                : connection.isSilent(now, queue.timeout);
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
            queue.loop.setTimer(LATEST_REPLY, dropped::close);
        }
        if (unavailable) {
            queue.outage.updateReason(cause);
        } else {
            unavailable = true;
            queue.outage.queueUnavailable(cause);
        }
        // an attempt that is under way sets this timer when it fails
        if (!connecting) {
            long sinceLast = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - attempted);
            queue.loop.setTimer(PAUSE + ThreadLocalRandom.current().nextLong(PAUSE / 2) - sinceLast, this::connect);
        }
        firstAttempt.complete(null);
        queue.failAll(cause);
    }

    void close() {
        closed = true;
        drop();
        // a closed queue does not keep the outage of the others from ending
        markAvailable();
        firstAttempt.complete(null);
        queue.failAll(new RedisStoreException("The application is stopping"));
    }

    private void drop() {
        ScriptConnection dropped = connection;
        connection = null;
        if (dropped != null) {
            dropped.close();
        }
    }
}
