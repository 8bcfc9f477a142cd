package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;

/**
 * Logs the start and the end of an outage once, although many queues detect it. It ends when all queues can use Redis again.
 * If Redis replies to some calls with an error, for example when its memory is full, the outage ends when Redis decides after a
 * second without errors.
 */
public final class Outage {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long WITHOUT_ERROR = TimeUnit.SECONDS.toNanos(1);
    /** Address in a message of the client, which may contain a password. */
    private static final Pattern AFTER_SCHEME = Pattern.compile("(?<=://)\\S+");
    private static final Pattern LINE_END = Pattern.compile("\\R");

    private final String address;
    private final String node;
    private final AtomicReference<Start> current = new AtomicReference<>();
    private final AtomicInteger queuesUnavailable = new AtomicInteger();
    private volatile long lastError = System.nanoTime() - WITHOUT_ERROR;

    private record Start(long at, String reason) {
    }

    /** @param address of one node of a cluster; empty for the only Redis */
    public Outage(String address) {
        this.address = address;
        node = address.isEmpty() ? "Redis" : "Redis at " + address;
    }

    public String address() {
        return address;
    }

    /** Records that one queue marks Redis as unavailable. */
    public void queueUnavailable(Throwable cause) {
        queuesUnavailable.incrementAndGet();
        begin(cause);
    }

    /** Records why one queue failed to reconnect. */
    public void updateReason(Throwable cause) {
        current.updateAndGet(start -> start == null ? null : new Start(start.at(), reasonOf(cause)));
    }

    /** Records that one queue no longer marks Redis as unavailable. */
    public void queueAvailable() {
        queuesUnavailable.decrementAndGet();
    }

    /** Begins an outage because Redis cannot be reached. */
    public void begin(Throwable cause) {
        begin(System.nanoTime(), cause);
    }

    /** Begins an outage because Redis can be reached but replies with errors, or does not keep up with the requests. */
    public void beginWithError(Throwable cause) {
        lastError = System.nanoTime();
        begin(lastError, cause);
    }

    private void begin(long at, Throwable cause) {
        // an outage may fail every request, so its reason is read only once
        Start start = current.get() != null ? null : new Start(at, reasonOf(cause));
        if (start != null && current.compareAndSet(null, start)) {
            LOG.warnf("Rate limits are decided by on-redis-failure until %s decides them again: %s", node, start.reason());
        }
    }

    /**
     * Records that a connection is open again. This ends no outage with errors, and none of a cluster, which may wait for other
     * nodes.
     */
    public void connected() {
        Start start = current.get();
        if (address.isEmpty() && start != null && lastError - start.at() < 0) {
            endIfBefore(System.nanoTime());
        }
    }

    /**
     * Ends the outage after Redis has decided requests that were taken from a queue at this time, if the outage began before,
     * all queues are available, and the last error was a second ago.
     *
     * @param taken by {@link System#nanoTime}
     */
    public void endIfBefore(long taken) {
        Start start = current.get();
        if (start != null && taken - start.at() >= 0 && queuesUnavailable.get() == 0
                && System.nanoTime() - lastError >= WITHOUT_ERROR && current.compareAndSet(start, null)) {
            LOG.infof("%s decides rate limits again, after %d ms", node, duration(start).toMillis());
        }
    }

    /** Ends the outage, because other nodes have taken over the slots of this node. */
    public void replaced() {
        Start start = current.getAndSet(null);
        if (start != null) {
            LOG.infof("Other nodes decide rate limits instead of %s, after %d ms", node, duration(start).toMillis());
        }
    }

    public Optional<UnavailableNode> unavailable() {
        return Optional.ofNullable(current.get()).map(start -> new UnavailableNode(address, duration(start), start.reason()));
    }

    private static Duration duration(Start start) {
        return Duration.ofNanos(System.nanoTime() - start.at());
    }

    /** Returns the message with its root cause, such as an untrusted certificate behind a failed connection. */
    private static String reasonOf(Throwable cause) {
        String message = firstLine(cause);
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String behind = firstLine(root);
        return AFTER_SCHEME.matcher(message.contains(behind) ? message : message + ": " + behind).replaceAll("***");
    }

    private static String firstLine(Throwable cause) {
        return LINE_END.split(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage(), 2)[0];
    }
}
