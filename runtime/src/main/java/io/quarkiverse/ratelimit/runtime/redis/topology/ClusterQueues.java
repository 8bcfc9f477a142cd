package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.redis.RedisQueue;
import io.quarkiverse.ratelimit.runtime.redis.RequestSender;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;

/**
 * Keeps one queue for every master of a cluster, closes the queues of other nodes, and refreshes the map of slots. All
 * methods run on one event loop, except {@link #firstAttempt} and {@link #hasConnected}.
 */
public final class ClusterQueues {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long CLOSING_PAUSE = 100;

    private final EventLoop loop;
    private final ClusterSlots slots;
    private final Function<String, RedisQueue> creator;
    private final Map<String, RedisQueue> queues = new HashMap<>();
    private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();
    private Set<String> masters = Set.of();
    private boolean opening, refreshing, closed;
    private volatile boolean hasConnected;

    /** @param creator creates the queue for an address */
    ClusterQueues(EventLoop loop, ClusterSlots slots, Function<String, RedisQueue> creator) {
        this.loop = loop;
        this.slots = slots;
        this.creator = creator;
    }

    RedisQueue ofNode(String address) {
        return queues.computeIfAbsent(address, creator);
    }

    /** The queue of the master that has the slot, as far as known. */
    RedisQueue ofSlot(int slot) {
        if (!masters.equals(slots.masters())) {
            adjust();
        }
        RedisQueue queue = ofNode(slots.master(slot));
        if (queue.isUnavailable()) {
            refresh();
        }
        return queue;
    }

    /** Refreshes the map of slots, unless that was done very recently. */
    void refresh() {
        if (!refreshing && !closed && slots.mayRefresh()) {
            refreshNow();
        }
    }

    private void refreshNow() {
        refreshing = true;
        slots.refresh(loop).onComplete(refreshed -> {
            refreshing = false;
            if (refreshed.succeeded()) {
                adjust();
            } else {
                LOG.debugf("No node of the cluster returned the slots: %s", refreshed.cause().getMessage());
                firstAttempt.complete(null);
            }
        });
    }

    private void adjust() {
        masters = slots.masters();
        if (!closed) {
            List<RedisQueue> ofMasters = masters.stream().map(this::ofNode).toList();
            RequestSender.open(ofMasters).thenRun(() -> {
                hasConnected |= ofMasters.stream().anyMatch(RedisQueue::hasConnected);
                firstAttempt.complete(null);
            });
            closeOthers();
        }
    }

    private void closeOthers() {
        queues.entrySet().removeIf(queue -> !masters.contains(queue.getKey()) && queue.getValue().closeIfIdle());
        if (!closed && !masters.containsAll(queues.keySet())) {
            loop.setTimer(CLOSING_PAUSE, this::closeOthers);
        }
    }

    /** Connects to all masters. Callers repeat it until it has connected. */
    void open() {
        hasConnected |= queues.values().stream().anyMatch(RedisQueue::hasConnected);
        if (!opening && !closed) {
            opening = true;
            refreshNow();
        } else if (!hasConnected) {
            refresh();
        }
    }

    /**
     * Completes when the first attempt to connect to all masters is over, or no master is found. May be called on any thread.
     */
    CompletionStage<Void> firstAttempt() {
        return firstAttempt;
    }

    boolean hasConnected() {
        return hasConnected;
    }

    boolean areClosed() {
        return closed;
    }

    void close() {
        closed = true;
        queues.values().forEach(RedisQueue::close);
        firstAttempt.complete(null);
    }
}
