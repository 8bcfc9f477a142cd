package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.redis.RedisState.Away;

/**
 * Logs once when Redis no longer decides and once when it does again on all lanes, however many notice. While it answers
 * some calls and refuses others, which is how it is when it has no memory left, the end is a second without a refusal.
 */
final class Outage {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long WITHOUT_REFUSAL = TimeUnit.SECONDS.toNanos(1);

    /** What a client says of an address may have its password. */
    private static final Pattern AFTER_SCHEME = Pattern.compile("(?<=://)\\S+");
    private static final Pattern LINE_END = Pattern.compile("\\R");

    private final String address;
    private final String node;
    private final AtomicReference<Began> since = new AtomicReference<>();
    private final AtomicInteger lanesAway = new AtomicInteger();
    private volatile long refused = System.nanoTime() - WITHOUT_REFUSAL;

    private record Began(long at, String reason) {
    }

    /** Of the only Redis. */
    Outage() {
        address = "";
        node = "Redis";
    }

    /** Of one node of a cluster. */
    Outage(String address) {
        this.address = address;
        node = "Redis at " + address;
    }

    /** One lane gives Redis up. */
    void left(Throwable cause) {
        lanesAway.incrementAndGet();
        begin(cause);
    }

    /** One lane tries in vain. */
    void stays(Throwable cause) {
        since.updateAndGet(began -> began == null ? null : new Began(began.at(), reason(cause)));
    }

    /** One lane no longer gives Redis up. */
    void returned() {
        lanesAway.decrementAndGet();
    }

    /** Redis cannot be reached. */
    void begin(Throwable cause) {
        if (since.get() == null) {
            Began began = new Began(System.nanoTime(), reason(cause));
            if (since.compareAndSet(null, began)) {
                LOG.warnf("Rate limits are decided by on-redis-failure until %s decides them again: %s", node, began.reason());
            }
        }
    }

    /** Redis can be reached but does not count. */
    void refused(Throwable cause) {
        refused = System.nanoTime();
        begin(cause);
    }

    /** Whether it is not over. */
    boolean lasts() {
        return since.get() != null;
    }

    /** There is a connection again; a node of a cluster may still wait for the others before it decides. */
    void connected() {
        if (address.isEmpty()) {
            end(System.nanoTime());
        }
    }

    /** It is over, unless it began after this was asked. */
    void end(long asked) {
        Began began = since.get();
        if (began != null && asked - began.at() >= 0 && lanesAway.get() == 0
                && System.nanoTime() - refused >= WITHOUT_REFUSAL && since.compareAndSet(began, null)) {
            LOG.infof("%s decides rate limits again, after %d ms", node, duration(began).toMillis());
        }
    }

    /** Other nodes decide what this one did. */
    void replaced() {
        Began began = since.getAndSet(null);
        if (began != null) {
            LOG.infof("Other nodes decide rate limits in place of %s, after %d ms", node, duration(began).toMillis());
        }
    }

    /** Since when and why, while it lasts. */
    Optional<Away> away() {
        return Optional.ofNullable(since.get()).map(began -> new Away(address, duration(began), began.reason()));
    }

    private static Duration duration(Began began) {
        return Duration.ofNanos(System.nanoTime() - began.at());
    }

    /** With what lies behind it, such as the certificate that is not trusted behind a connection that fails. */
    private static String reason(Throwable cause) {
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
