package io.quarkiverse.ratelimit.runtime.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jboss.logging.Logger;

/**
 * Logs once when Redis no longer decides and once when it does again, however many lanes notice. While it answers some
 * calls and refuses others, which is how it is when it has no memory left, the end is a second without a refusal.
 */
final class Outage {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long WITHOUT_REFUSAL = TimeUnit.SECONDS.toNanos(1);

    private final String node;
    private final boolean inCluster;
    private final AtomicReference<Long> since = new AtomicReference<>();
    private volatile long refused = System.nanoTime() - WITHOUT_REFUSAL;

    /** Of the only Redis. */
    Outage() {
        node = "Redis";
        inCluster = false;
    }

    /** Of one node of a cluster. */
    Outage(String address) {
        node = "Redis at " + address;
        inCluster = true;
    }

    /** Redis cannot be reached. */
    void begin(Throwable cause) {
        if (since.get() == null && since.compareAndSet(null, System.nanoTime())) {
            LOG.warnf("Rate limits are decided by on-redis-failure until %s decides them again: %s", node, reason(cause));
        }
    }

    /** Redis can be reached but does not count. */
    void refused(Throwable cause) {
        refused = System.nanoTime();
        begin(cause);
    }

    /** There is a connection again; a node of a cluster may still wait for the others before it decides. */
    void connected() {
        if (!inCluster) {
            end();
        }
    }

    void end() {
        Long began = since.get();
        if (began != null && System.nanoTime() - refused >= WITHOUT_REFUSAL && since.compareAndSet(began, null)) {
            LOG.infof("%s decides rate limits again, after %d ms", node,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        }
    }

    /** Other nodes decide what this one did. */
    void replaced() {
        Long began = since.getAndSet(null);
        if (began != null) {
            LOG.infof("Other nodes decide rate limits in place of %s, after %d ms", node,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        }
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
