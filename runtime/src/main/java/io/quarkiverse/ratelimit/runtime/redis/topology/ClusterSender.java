package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.redis.PendingRequest;
import io.quarkiverse.ratelimit.runtime.redis.RedisQueue;
import io.quarkiverse.ratelimit.runtime.redis.RedisQueue.Unfollowed;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.RequestSender;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.redis.script.DecideScript;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Vertx;

/**
 * Sends the requests of one event loop to the masters of a cluster, with one queue per master. If a slot has moved, the
 * request follows it. The map of slots is refreshed after that, and while a master is unavailable.
 *
 * <p>
 * While a slot moves from one master to another, the master that has all keys of a request decides it. The requests of a
 * batch may need different masters, so they are then sent one by one.
 */
public final class ClusterSender implements RequestSender {

    /** Milliseconds before a request is sent again if only some of its keys have moved. */
    private static final long PAUSE = 10;

    private final EventLoop loop;
    private final ClusterSlots slots;
    private final DecideScript script;
    private final ClusterQueues queues;

    /** @param timeout how many nanoseconds a decision may take */
    ClusterSender(EventLoop loop, RedisNodes nodes, ClusterSlots slots, DecideScript script, long timeout) {
        this.loop = loop;
        this.slots = slots;
        this.script = script;
        this.queues = new ClusterQueues(loop, slots,
                address -> new RedisQueue(loop, RedisConnector.to(() -> nodes.client(address)), script,
                        slots.outage(address),
                        (requests, error) -> follow(requests, error, address), timeout));
    }

    /** Creates the store in a cluster. */
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
        if (queues.areClosed()) {
            pending.fail(new RedisStoreException("The application is stopping"));
        } else {
            pending.slot = pending.isDecision() ? script.slot(pending.request) : pending.script.slot();
            pending.asking = false;
            pending.mayBeCounted = false;
            queues.ofSlot(pending.slot).send(pending);
        }
    }

    /** Implements {@link RedisQueue.RedirectHandler#follow} for an error from the node at {@code from}. */
    private Unfollowed follow(List<PendingRequest> requests, String error, String from) {
        ClusterRedirect to = ClusterRedirect.of(error, from);
        if (to == null && !error.startsWith("TRYAGAIN")) {
            queues.refresh();
            return new Unfollowed(requests, error.startsWith("CLUSTERDOWN Hash slot"));
        }
        // only the deadline bounds how often a request waits for its slot to arrive
        Map<Boolean, List<PendingRequest>> followed = requests.stream().collect(
                Collectors.partitioningBy(request -> to == null ? !request.isCompleted() : request.tryRedirect()));
        follow(to, followed.get(true), requests.size() == 1);
        return new Unfollowed(followed.get(false), true);
    }

    /** @param to {@code null} to try the same node again */
    private void follow(ClusterRedirect to, List<PendingRequest> requests, boolean alone) {
        if (to != null && to.permanent()) {
            moved(to);
            requests.forEach(this::accept);
        } else if (to != null && alone) {
            requests.forEach(request -> sendAsking(request, to.address()));
        } else {
            requests.forEach(request -> request.alone = true);
            loop.setTimer(to == null ? PAUSE : 1, () -> requests.forEach(this::accept));
        }
    }

    private void moved(ClusterRedirect to) {
        slots.moved(to.slot(), to.address());
        queues.refresh();
    }

    /** Sends the request to a node that is importing the slot of the request. */
    private void sendAsking(PendingRequest request, String address) {
        request.asking = true;
        request.mayBeCounted = false;
        request.alone = true;
        queues.ofNode(address).send(request);
    }

    @Override
    public CompletionStage<Void> open() {
        loop.run(queues::open);
        return queues.firstAttempt();
    }

    @Override
    public boolean hasConnected() {
        return queues.hasConnected();
    }

    @Override
    public void close() {
        loop.run(queues::close);
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
