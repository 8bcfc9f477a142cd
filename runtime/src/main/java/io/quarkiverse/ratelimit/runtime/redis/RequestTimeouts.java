package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;

/**
 * Detects requests without a reply in time, with a timer for the request that is due first. All methods run on one event loop.
 */
final class RequestTimeouts {

    private final EventLoop loop;
    private final Consumer<List<PendingRequest>> late;
    private final PriorityQueue<PendingRequest> watchedRequests = new PriorityQueue<>(
            (one, other) -> Long.signum(one.deadline.due() - other.deadline.due()));
    /** When the next timer is due; {@code null} without a timer. */
    private Long timerDue;

    /** @param late called with requests that are due and have no reply */
    RequestTimeouts(EventLoop loop, Consumer<List<PendingRequest>> late) {
        this.loop = loop;
        this.late = late;
    }

    void add(PendingRequest pending) {
        watchedRequests.add(pending);
        setTimer();
    }

    /** Removes completed requests, up to the first that waits for its reply. */
    void removeCompleted() {
        while (!watchedRequests.isEmpty() && watchedRequests.peek().isCompleted()) {
            watchedRequests.poll();
        }
    }

    /** Removes and returns all requests. */
    List<PendingRequest> takeAll() {
        List<PendingRequest> all = new ArrayList<>(watchedRequests);
        watchedRequests.clear();
        return all;
    }

    private void setTimer() {
        PendingRequest first = watchedRequests.peek();
        if (first != null && (timerDue == null || first.deadline.due() - timerDue < 0)) {
            Long due = first.deadline.due();
            timerDue = due;
            loop.runAt(due, () -> expire(due));
        }
    }

    private void expire(Long timer) {
        long now = System.nanoTime();
        List<PendingRequest> due = new ArrayList<>();
        removeCompleted();
        while (!watchedRequests.isEmpty() && watchedRequests.peek().deadline.isOver(now)) {
            due.add(watchedRequests.poll());
            removeCompleted();
        }
        // a timer that an earlier one has replaced sets no other
        timerDue = timer.equals(timerDue) ? null : timerDue;
        setTimer();
        if (!due.isEmpty()) {
            late.accept(due);
        }
    }
}
