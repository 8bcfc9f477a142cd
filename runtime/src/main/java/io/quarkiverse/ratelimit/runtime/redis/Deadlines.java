package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.vertx.core.impl.ContextInternal;

/**
 * Tells which questions are not answered in time, by one timer: all have the same timeout, so they are due in the order
 * in which they were asked. The few that began earlier have one each. All of it runs on one event loop.
 */
final class Deadlines {

    private static final long HELD_UP = TimeUnit.MILLISECONDS.toNanos(10);

    private final ContextInternal loop;
    private final Consumer<List<Pending>> late;
    private ArrayDeque<Pending> asked = new ArrayDeque<>();
    private boolean watching;
    /** When the timer is due that watches; what it watched may have been answered since. */
    private long watched;

    /** @param late called with questions that are due and not answered */
    Deadlines(ContextInternal loop, Consumer<List<Pending>> late) {
        this.loop = loop;
        this.late = late;
    }

    void add(Pending pending) {
        boolean isLast = asked.isEmpty() || asked.peekLast().deadline - pending.deadline <= 0;
        if (isLast && (!watching || watched - pending.deadline <= 0)) {
            asked.add(pending);
            watch();
        } else {
            when(pending.deadline, () -> expire(new ArrayDeque<>(List.of(pending))));
        }
    }

    /** Forgets what was answered first. */
    void forgetAnswered() {
        while (!asked.isEmpty() && asked.peek().isAnswered()) {
            asked.poll();
        }
    }

    /** All questions that it watched; it no longer does. */
    Iterable<Pending> takeAll() {
        ArrayDeque<Pending> all = asked;
        asked = new ArrayDeque<>();
        return all;
    }

    private void watch() {
        if (!watching && !asked.isEmpty()) {
            watching = true;
            watched = asked.peek().deadline;
            when(watched, () -> {
                watching = false;
                expire(asked);
                watch();
            });
        }
    }

    /** Runs the task when it is due, by {@link System#nanoTime}. */
    void when(long due, Runnable task) {
        long wait = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()) + 1;
        loop.setTimer(Math.max(1, wait), ignored -> {
            // a loop that was held up itself first reads what was answered in the meantime
            if (System.nanoTime() - due > HELD_UP) {
                loop.setTimer(1, again -> task.run());
            } else {
                task.run();
            }
        });
    }

    private void expire(ArrayDeque<Pending> watched) {
        long now = System.nanoTime();
        List<Pending> due = new ArrayList<>();
        while (!watched.isEmpty() && (watched.peek().isAnswered() || watched.peek().isLate(now))) {
            Pending pending = watched.poll();
            if (!pending.isAnswered()) {
                due.add(pending);
            }
        }
        if (!due.isEmpty()) {
            late.accept(due);
        }
    }
}
