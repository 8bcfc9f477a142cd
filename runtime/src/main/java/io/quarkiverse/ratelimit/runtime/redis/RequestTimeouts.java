package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;

/**
 * Finds the requests without a reply in time. A timer checks when the first of them is due. Timers are not canceled:
 * one that an earlier timer has replaced does nothing. All methods run on one event loop.
 */
final class RequestTimeouts {

    private final EventLoop loop;
    private final RedisQueue queue;
    private final PriorityQueue<PendingRequest> firstDueFirst = new PriorityQueue<>(
            (one, other) -> Long.signum(one.deadline.due() - other.deadline.due()));
    /** The request for which the timer is set; {@code null} without a timer. */
    private PendingRequest timed;

    RequestTimeouts(EventLoop loop, RedisQueue queue) {
        this.loop = loop;
        this.queue = queue;
    }

    void add(PendingRequest pending) {
        firstDueFirst.add(pending);
        setTimer();
    }

    /** Removes completed requests, up to the first that waits for its reply. */
    void removeCompleted() {
        while (!firstDueFirst.isEmpty() && firstDueFirst.peek().isCompleted()) {
            firstDueFirst.poll();
        }
    }

    /** Removes and returns all requests. */
    List<PendingRequest> takeAll() {
        List<PendingRequest> all = new ArrayList<>(firstDueFirst);
        firstDueFirst.clear();
        return all;
    }

    private void setTimer() {
        PendingRequest first = firstDueFirst.peek();
        if (first != null && (timed == null || first.deadline.due() - timed.deadline.due() < 0)) {
            timed = first;
            loop.runAt(first.deadline.due(), () -> check(first));
        }
    }

    private void check(PendingRequest first) {
        if (first != timed) {
            return;
        }
        timed = null;
        long now = System.nanoTime();
        List<PendingRequest> late = new ArrayList<>();
        while (!firstDueFirst.isEmpty() && firstDueFirst.peek().deadline.due() - now <= 0) {
            PendingRequest due = firstDueFirst.poll();
            if (!due.isCompleted()) {
                late.add(due);
            }
        }
        setTimer();
        queue.expired(late);
    }
}
