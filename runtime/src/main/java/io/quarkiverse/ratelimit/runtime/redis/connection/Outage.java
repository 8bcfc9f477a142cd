package io.quarkiverse.ratelimit.runtime.redis.connection;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.redis.connection.RedisHealth.UnavailableNode;

/**
 * Logs the start and the end of an outage once, although many queues detect it. It ends when all queues can use Redis again.
 * If Redis replies to some calls with an error, for example when its memory is full, the outage ends when Redis decides after a
 * second without errors.
 */
public final class Outage {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long WITHOUT_ERROR = TimeUnit.SECONDS.toNanos(1);

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

    /** One queue marks Redis as unavailable. */
    public void queueUnavailable(Throwable cause) {
        queuesUnavailable.incrementAndGet();
        begin(cause);
    }

    /** One queue failed to reconnect. */
    public void updateReason(Throwable cause) {
        current.updateAndGet(start -> start == null ? null : new Start(start.at(), RedisStoreException.reasonOf(cause)));
    }

    /** One queue no longer marks Redis as unavailable. */
    public void queueAvailable() {
        queuesUnavailable.decrementAndGet();
    }

    /** Redis cannot be reached. */
    public void begin(Throwable cause) {
        begin(System.nanoTime(), cause);
    }

    /** Redis can be reached but replies with errors, or does not keep up with the requests. */
    public void beginWithError(Throwable cause) {
        lastError = System.nanoTime();
        begin(lastError, cause);
    }

    private void begin(long at, Throwable cause) {
        // an outage may fail every request, so its reason is read only once
        Start start = current.get() != null ? null : new Start(at, RedisStoreException.reasonOf(cause));
        if (start != null && current.compareAndSet(null, start)) {
            LOG.warnf("Rate limits are decided by on-redis-failure until %s decides them again: %s", node, start.reason());
        }
    }

    /** A connection is open again. This ends no outage with errors, and none of a cluster, which may wait for other nodes. */
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

    /** Other nodes have taken over the slots of this node. */
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
}
