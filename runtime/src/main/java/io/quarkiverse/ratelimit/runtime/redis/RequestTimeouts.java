package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;

/**
 * Detects requests without a reply in time. One timer is enough for most requests: they have the same timeout, so they are
 * due in the order in which they were made. The few that are due earlier get a timer each. All methods run on one event loop.
 */
final class RequestTimeouts {

    /** A timer that runs this much late shows that the event loop was blocked. */
    private static final long BLOCKED = TimeUnit.MILLISECONDS.toNanos(10);

    private final EventLoop loop;
    private final Consumer<List<PendingRequest>> late;
    private ArrayDeque<PendingRequest> watchedRequests = new ArrayDeque<>();
    /** Whether the shared timer is set. */
    private boolean watching;
    /** When the shared timer is due. The request it was set for may have completed since. */
    private long timerDue;

    /** @param late called with requests that are due and have no reply */
    RequestTimeouts(EventLoop loop, Consumer<List<PendingRequest>> late) {
        this.loop = loop;
        this.late = late;
    }

    void add(PendingRequest pending) {
        boolean isLast = watchedRequests.isEmpty() || watchedRequests.peekLast().deadline.due() - pending.deadline.due() <= 0;
        if (isLast && (!watching || timerDue - pending.deadline.due() <= 0)) {
            watchedRequests.add(pending);
            watch();
        } else {
            schedule(pending.deadline.due(), () -> {
                if (!pending.isCompleted()) {
                    late.accept(List.of(pending));
                }
            });
        }
    }

    /** Removes completed requests from the front. */
    void removeCompleted() {
        while (!watchedRequests.isEmpty() && watchedRequests.peek().isCompleted()) {
            watchedRequests.poll();
        }
    }

    /** Removes and returns all requests that the shared timer watches. */
    Iterable<PendingRequest> takeAll() {
        ArrayDeque<PendingRequest> all = watchedRequests;
        watchedRequests = new ArrayDeque<>();
        return all;
    }

    private void watch() {
        if (!watching && !watchedRequests.isEmpty()) {
            watching = true;
            timerDue = watchedRequests.peek().deadline.due();
            schedule(timerDue, () -> {
                watching = false;
                expire();
                watch();
            });
        }
    }

    /** Runs the task when it is due, by {@link System#nanoTime}. */
    void schedule(long due, Runnable task) {
        long wait = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
        loop.setTimer(Math.max(1, wait), () -> {
            // a loop that was blocked itself first reads the replies that arrived in the meantime
            if (System.nanoTime() - due > BLOCKED) {
                loop.setTimer(1, task);
            } else {
                task.run();
            }
        });
    }

    private void expire() {
        long now = System.nanoTime();
        List<PendingRequest> due = new ArrayList<>();
        removeCompleted();
        while (!watchedRequests.isEmpty() && watchedRequests.peek().deadline.isOver(now)) {
            due.add(watchedRequests.poll());
            removeCompleted();
        }
        if (!due.isEmpty()) {
            late.accept(due);
        }
    }
}
