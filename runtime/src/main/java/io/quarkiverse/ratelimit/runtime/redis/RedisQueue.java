package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.ratelimit.runtime.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;

/**
 * Queues requests for one connection to Redis, which belongs to one event loop. The requests of one iteration of the loop go
 * out as one {@link Batch}, or as several if there are many. The methods of {@link RequestSender} may be called on any
 * thread; all others run on that loop.
 *
 * <p>
 * Requests without a reply in time fail. If no other reply arrived in time meanwhile, Redis is unavailable, and
 * requests fail at once until a new connection is ready.
 */
public final class RedisQueue implements RequestSender {

    /** Flush early once this many requests wait and Redis has little to do, so that it works while the loop continues. */
    private static final int FLUSH_EARLY = 32;
    private static final int MAX_WAITING = 10_000;

    final EventLoop loop;
    final Outage outage;
    /** How many nanoseconds a decision may take. */
    final long timeout;
    private final Reconnector reconnector;
    private final BatchSender batches;
    private final Queue<PendingRequest> waiting = new ArrayDeque<>();
    /** Requests that wait or are sent, in the order of their deadlines. Completed ones are removed when they come first. */
    private final Queue<PendingRequest> accepted = new PriorityQueue<>(
            (one, other) -> Long.signum(one.deadline.due() - other.deadline.due()));
    /** The request for whose deadline the timer is set; {@code null} without a timer. */
    private PendingRequest timedRequest;
    private long timer;
    private boolean flushScheduled;

    public RedisQueue(EventLoop loop, RedisConnector connector, DecideScript script, Outage outage,
            RedirectHandler redirections, long timeout) {
        this.loop = loop;
        this.outage = outage;
        this.timeout = timeout;
        this.reconnector = new Reconnector(this, connector, script.checkCommand());
        this.batches = new BatchSender(this, reconnector, script, redirections);
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
        pending.queue = this;
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

    /** Sends the requests that wait, as far as the connection takes them. */
    void flush() {
        flushScheduled = false;
        reconnector.replaceOldMaster();
        if (reconnector.connection == null && !waiting.isEmpty()) {
            reconnector.connect();
        }
        while (!waiting.isEmpty() && reconnector.connection != null && reconnector.connection.takesBatches()) {
            Batch batch = Batch.next(waiting);
            if (!batch.entries.isEmpty()) {
                batches.send(batch, reconnector.connection, false);
            }
        }
    }

    /**
     * Sends a request to a node that is importing its slot, at once, as another command must not come between. With the text
     * of the script, because a repeated command would need to ask again.
     *
     * @return false if there is no connection now that takes it
     */
    public boolean sendAsking(PendingRequest pending) {
        if (reconnector.isUnavailable()) {
            accept(pending);
            return true;
        } else if (reconnector.connection == null || reconnector.connection.isFull()) {
            open();
            return false;
        }
        pending.queue = this;
        accepted.add(pending);
        setTimer();
        Batch batch = new Batch(pending, 1);
        batch.add(pending);
        reconnector.connection.ask();
        batches.send(batch, reconnector.connection, true);
        return true;
    }

    /** Queues a request again that Redis has not counted. The next flush sends it. */
    void repeat(PendingRequest pending) {
        pending.mayBeCounted = false;
        waiting.add(pending);
    }

    /** Continues after a batch that has its reply, or has failed. */
    void afterBatch() {
        while (!accepted.isEmpty() && accepted.peek().isCompleted()) {
            accepted.poll();
        }
        if (accepted.isEmpty() && timedRequest != null) {
            loop.cancelTimer(timer);
            timedRequest = null;
        }
        // a flush that new requests have scheduled sends more at once: it runs after the other replies that were read
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

    /** Fails all requests of this queue, as Redis is unavailable. */
    void failAll(Throwable cause) {
        RedisStoreException unavailable = new RedisStoreException("Redis is unavailable", cause);
        List<PendingRequest> failed = List.copyOf(accepted);
        accepted.clear();
        waiting.clear();
        for (PendingRequest pending : failed) {
            // others were redirected, and are in the queue of another node
            if (pending.queue == this) {
                pending.fail(unavailable);
            }
        }
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
        for (PendingRequest pending : late) {
            // while the first connection opens, only a late decision marks Redis as unavailable, as other scripts may not wait
            if (pending.script == null || pending.queue.reconnector.connection != null) {
                pending.queue.reconnector.markUnavailableIfSilent(now);
            }
        }
    }

    /** Follows the redirections of a cluster node for requests whose slot is elsewhere. */
    public interface RedirectHandler {

        /** For a single Redis: follows nothing. */
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
