package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Sendable;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;

/**
 * Queues requests for one connection to Redis, which belongs to one event loop. The requests of one iteration of the loop go
 * out as one {@link Batch}, or as several if there are many. The methods of {@link RequestSender} may be called on any
 * thread; all others run on that loop.
 *
 * <p>
 * Requests without a reply in time fail. If no other reply arrived in time meanwhile, Redis is unavailable, and
 * requests fail at once until a new connection is ready.
 */
public final class RedisQueue implements RequestSender, ConnectionListener {

    /** Flush early once this many requests wait and Redis has little to do, so that it works while the loop continues. */
    private static final int FLUSH_EARLY = 32;
    private static final int MAX_WAITING = 10_000;

    private final EventLoop loop;
    private final Outage outage;
    private final RedirectHandler redirections;
    private final Reconnector reconnector;
    private final BatchSender batches;
    private final Queue<PendingRequest> waiting = new ArrayDeque<>();
    /** Requests that wait or are sent, in the order of their deadlines. Completed ones are removed when they come first. */
    private final Queue<PendingRequest> accepted = new PriorityQueue<>(
            (one, other) -> Long.signum(one.deadline.due() - other.deadline.due()));
    /** Request for whose deadline the timer is set; {@code null} without a timer. */
    private PendingRequest timedRequest;
    private long timer;
    private boolean flushScheduled;

    /** @param timeout nanoseconds that a decision may take */
    public RedisQueue(EventLoop loop, RedisConnector connector, DecideScript script, Outage outage,
            RedirectHandler redirections, long timeout) {
        this.loop = loop;
        this.outage = outage;
        this.redirections = redirections;
        this.reconnector = new Reconnector(loop, connector, script.checkCommand(), outage, timeout, this);
        this.batches = new BatchSender(loop, script, outage, timeout, reconnector, this);
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
        if (reconnector.isUnavailable()) {
            pending.fail(new RedisStoreException("Redis is unavailable"));
            return;
        }
        if (waiting.size() >= MAX_WAITING) {
            RedisStoreException full = RedisStoreException.full();
            outage.beginWithError(full);
            pending.fail(full);
            return;
        }
        waiting.add(pending);
        accepted.add(pending);
        setTimer();
        if (waiting.size() >= FLUSH_EARLY && reconnector.connection != null && reconnector.connection.hasLittleToDo()) {
            flush();
        } else if (!flushScheduled) {
            flushScheduled = true;
            loop.run(this::flush);
        }
    }

    /** Sends waiting requests while the connection accepts more. */
    private void flush() {
        flushScheduled = false;
        reconnector.replaceOldMaster();
        if (reconnector.connection == null && !waiting.isEmpty()) {
            reconnector.connect();
        }
        while (!waiting.isEmpty() && reconnector.connection != null && reconnector.connection.takesBatches()) {
            Sendable next = Batch.next(waiting);
            if (next != null) {
                batches.send(next, reconnector.connection, false);
            }
        }
    }

    /**
     * Sends a request at once to a node that is importing its slot. {@code ASKING} must be the command before it. Sends the
     * text of the script, because a second attempt would need another {@code ASKING}.
     *
     * @return false if there is no connection now that takes it
     */
    public boolean sendAsking(PendingRequest pending) {
        if (reconnector.isUnavailable() || !pending.waits(System.nanoTime())) {
            accept(pending);
            return true;
        } else if (reconnector.connection == null || reconnector.connection.isFull()) {
            open();
            return false;
        }
        accepted.add(pending);
        setTimer();
        Sendable next = Batch.next(new ArrayDeque<>(List.of(pending)));
        // its deadline may just have passed
        if (next != null) {
            reconnector.connection.ask();
            batches.send(next, reconnector.connection, true);
        }
        return true;
    }

    @Override
    public void connected() {
        flush();
    }

    /** Queues requests again. The next flush sends them. */
    @Override
    public void sentForOtherTime(List<PendingRequest> requests) {
        waiting.addAll(requests);
    }

    @Override
    public boolean redirected(List<PendingRequest> requests, String error) {
        // another queue may get them
        accepted.removeAll(Set.copyOf(requests));
        return redirections.follow(requests, error);
    }

    @Override
    public void batchEnded() {
        while (!accepted.isEmpty() && accepted.peek().isCompleted()) {
            accepted.poll();
        }
        if (accepted.isEmpty() && timedRequest != null) {
            loop.cancelTimer(timer);
            timedRequest = null;
        }
        // a scheduled flush runs after all replies of this read, and sends more requests at once
        if (!flushScheduled) {
            flush();
        }
    }

    @Override
    public CompletionStage<Void> open() {
        return reconnector.open();
    }

    @Override
    public boolean hasConnected() {
        return reconnector.hasConnected;
    }

    public boolean isUnavailable() {
        return reconnector.isUnavailable();
    }

    @Override
    public void close() {
        loop.run(reconnector::close);
    }

    /** Fails all requests of this queue. */
    @Override
    public void unavailable(Throwable cause) {
        RedisStoreException unavailable = new RedisStoreException("Redis is unavailable", cause);
        List<PendingRequest> failed = List.copyOf(accepted);
        accepted.clear();
        waiting.clear();
        failed.forEach(pending -> pending.fail(unavailable));
    }

    private void setTimer() {
        PendingRequest first = accepted.peek();
        if (first != null && (timedRequest == null || first.deadline.due() - timedRequest.deadline.due() < 0)) {
            timedRequest = first;
            timer = loop.runAt(first.deadline.due(), () -> failLate(first));
        }
    }

    /** Fails the requests that have no reply in time, unless a timer for an earlier deadline has replaced this one. */
    private void failLate(PendingRequest first) {
        if (first != timedRequest) {
            return;
        }
        timedRequest = null;
        long now = System.nanoTime();
        List<PendingRequest> late = new ArrayList<>();
        while (!accepted.isEmpty() && (accepted.peek().isCompleted() || accepted.peek().deadline.due() - now <= 0)) {
            PendingRequest next = accepted.poll();
            if (!next.isCompleted()) {
                late.add(next);
            }
        }
        setTimer();
        late.forEach(pending -> pending.fail(RedisStoreException.late()));
        while (!waiting.isEmpty() && waiting.peek().isCompleted()) {
            waiting.poll();
        }
        // while the first connection opens, only a late decision marks Redis as unavailable: other scripts have other deadlines
        if (late.stream().anyMatch(pending -> pending.decides() || reconnector.connection != null)) {
            reconnector.markUnavailableIfSilent(now);
        }
    }

    /** Follows the redirections of a cluster node for requests whose slot is elsewhere. */
    public interface RedirectHandler {

        /** Follows nothing, for a single Redis. */
        RedirectHandler NONE = (requests, error) -> false;

        /**
         * Sends requests again, to another node or later, or fails those that were redirected too often. Returns whether it
         * does; if not, the caller fails them.
         *
         * @param error the error that the node returned for a batch of these requests; nothing was counted
         */
        boolean follow(List<PendingRequest> requests, String error);
    }
}
