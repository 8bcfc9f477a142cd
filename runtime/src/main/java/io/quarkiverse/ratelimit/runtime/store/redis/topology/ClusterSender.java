package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisQueue;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RequestSender;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.vertx.core.Vertx;

/**
 * Sends the requests of one event loop to the masters of a cluster, with one queue per master. If a slot has moved, the
 * request follows it. The map of slots is refreshed after that, and while a master is unavailable.
 *
 * <p>
 * While a slot moves from one master to another, the master that has all keys of a request decides it. The requests of a
 * batch may need different masters, so they are then sent one by one. The methods of {@link RequestSender} may be called on
 * any thread; all others run on the event loop.
 */
public final class ClusterSender implements RequestSender {

    /** Wait in nanoseconds before a request is sent again if only some of its keys have moved. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    /** Maximum number of times that nodes may redirect a request. */
    private static final int MAX_REDIRECTS = 16;

    private final EventLoop loop;
    private final RedisNodes nodes;
    private final ClusterSlots slots;
    private final DecideScript script;
    private final long timeout;
    private final Map<String, RedisQueue> queues = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> firstAttempt = new CompletableFuture<>();
    /** Number of times that nodes have redirected each request. Completed requests are garbage. */
    private final Map<PendingRequest, Integer> redirects = new WeakHashMap<>();
    private Set<String> masters = Set.of();
    private boolean opening, refreshing, closed;
    private volatile boolean hasConnected;

    /** @param timeout nanoseconds that a decision may take */
    private ClusterSender(EventLoop loop, RedisNodes nodes, ClusterSlots slots, DecideScript script, long timeout) {
        this.loop = loop;
        this.nodes = nodes;
        this.slots = slots;
        this.script = script;
        this.timeout = timeout;
    }

    public static RedisStore newStore(Vertx vertx, RedisNodes nodes, Duration timeout, DecideScript script) {
        ClusterSlots slots = new ClusterSlots(nodes);
        return new RedisStore(vertx, timeout, true,
                loop -> new ClusterSender(loop, nodes, slots, script, timeout.toNanos()),
                () -> slots.masters().size(), slots::unavailable);
    }

    @Override
    public void send(PendingRequest pending) {
        if (loop.isCurrentThread()) {
            accept(pending);
        } else {
            loop.run(() -> accept(pending));
        }
    }

    private void accept(PendingRequest pending) {
        if (closed) {
            pending.fail(new RedisStoreException("The application is stopping"));
            return;
        }
        int slot = pending.slot(script);
        pending.batchKey = pending.batchKey == pending ? pending : Integer.valueOf(slot);
        if (!masters.equals(slots.masters())) {
            adjust();
        }
        RedisQueue queue = queueOf(slots.master(slot));
        if (queue.isUnavailable()) {
            refresh();
        }
        queue.send(pending);
    }

    private RedisQueue queueOf(String address) {
        return queues.computeIfAbsent(address, node -> new RedisQueue(loop, RedisConnector.to(() -> nodes.client(node)),
                script, slots.outage(node), (requests, error) -> follow(requests, error, node), timeout));
    }

    /** Implements {@link RedisQueue.RedirectHandler#follow} for the node at {@code from}. */
    private boolean follow(List<PendingRequest> requests, String error, String from) {
        ClusterRedirect to = ClusterRedirect.of(error, from);
        boolean moved = to != null && to.permanent();
        if (to == null && !error.startsWith("TRYAGAIN")) {
            refresh();
            return false;
        } else if (moved) {
            slots.moved(to.slot(), to.address());
            refresh();
        }
        for (PendingRequest request : requests) {
            request.batchKey = moved ? request.batchKey : request;
            if (to == null) {
                // only the deadline bounds how often a request waits for its slot to arrive
                later(request, () -> accept(request));
            } else if (redirects.merge(request, 1, Integer::sum) > MAX_REDIRECTS) {
                RedisStoreException failure = RedisStoreException.error(error);
                if (request.decides()) {
                    slots.outage(from).beginWithError(failure);
                }
                request.fail(failure);
            } else if (moved || requests.size() > 1) {
                accept(request);
            } else {
                ask(request, to.address());
            }
        }
        return true;
    }

    /** Sends the request to a node that is importing the slot of the request. */
    private void ask(PendingRequest request, String address) {
        if (closed) {
            accept(request);
        } else if (!queueOf(address).sendAsking(request)) {
            later(request, () -> ask(request, address));
        }
    }

    /** Continues after a pause, or at the deadline, with a request that is in no queue. */
    private void later(PendingRequest request, Runnable next) {
        long now = System.nanoTime();
        loop.runAt(now + Math.min(PAUSE, request.deadline.due() - now), next);
    }

    /** Refreshes the map of slots, unless that was done very recently. */
    private void refresh() {
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
                firstAttempt.complete(null);
            }
        });
    }

    /** Opens the queues of all masters, and closes those of other nodes. */
    private void adjust() {
        masters = slots.masters();
        if (!closed) {
            RequestSender.open(masters.stream().map(this::queueOf).toList()).thenRun(() -> firstAttempt.complete(null));
            closeOthers();
        }
    }

    /** Closes the queues of nodes that are no masters any more, once all their requests have a reply or are late. */
    private void closeOthers() {
        for (String address : List.copyOf(queues.keySet())) {
            if (!masters.contains(address)) {
                RedisQueue other = queues.remove(address);
                loop.setTimer(other.isUnavailable() ? 0 : TimeUnit.NANOSECONDS.toMillis(timeout), other::close);
            }
        }
    }

    /** Connects to all masters. Callers repeat it until it has connected. */
    @Override
    public CompletionStage<Void> open() {
        loop.run(() -> {
            if (!opening && !closed) {
                opening = true;
                refreshNow();
            } else if (!hasConnected()) {
                refresh();
            }
        });
        return firstAttempt;
    }

    @Override
    public boolean hasConnected() {
        // each decision asks
        if (!hasConnected && queues.values().stream().anyMatch(RedisQueue::hasConnected)) {
            hasConnected = true;
        }
        return hasConnected;
    }

    @Override
    public void close() {
        loop.run(() -> {
            closed = true;
            queues.values().forEach(RedisQueue::close);
            firstAttempt.complete(null);
        });
    }

    /**
     * A redirection by a node of a cluster, such as {@code MOVED 3999 127.0.0.1:6381}.
     *
     * @param permanent true for {@code MOVED}: the slot has a new node; false for {@code ASK}: only this request goes there
     */
    public record ClusterRedirect(boolean permanent, int slot, String address) {

        /**
         * Parses an error; returns {@code null} if it is not a redirection.
         *
         * @param from the node that sent the error; its host applies if the error contains none
         */
        public static ClusterRedirect of(String error, String from) {
            boolean moved = error.startsWith("MOVED ");
            if (!moved && !error.startsWith("ASK ")) {
                return null;
            }
            String[] words = error.split(" ");
            int port = words[2].lastIndexOf(':');
            return new ClusterRedirect(moved, Integer.parseInt(words[1]),
                    ClusterSlots.address(words[2].substring(0, port), words[2].substring(port + 1), from));
        }
    }
}
