package io.quarkiverse.ratelimit.runtime.engine.delay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Queues calls for permits that cannot be acquired in advance. Each caller of a policy has its own queue, in the
 * order of arrival. The first call is retried as soon as it may be allowed; the calls behind it wait until they are
 * first. A call that cannot wait that long, or finds no place, is decided immediately.
 */
public final class WaitQueues {

    /** Longest time between two attempts, as limits may be overridden and permits refunded meanwhile. */
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(10);

    private final Semaphore vacancies;
    private final Timers timers;
    private final Map<String, ArrayDeque<Waiting>> queues = new HashMap<>();

    public WaitQueues(Semaphore vacancies, Timers timers) {
        this.vacancies = vacancies;
        this.timers = timers;
    }

    /**
     * Decides when the call is first in its queue, at the latest when its maximum wait is over.
     *
     * @param name identifies the queue
     * @param attempt decides, with a delay of at most the given time, for which it takes the place
     */
    public Uni<Outcome> decide(String name, Duration maxWait, BiFunction<Duration, Place, Uni<Outcome>> attempt) {
        return Uni.createFrom().deferred(() -> {
            Waiting waiting = enqueue(name, System.nanoTime() + maxWait.toNanos(), attempt);
            return waiting == null ? attempt.apply(Duration.ZERO, new Place(vacancies))
                    : waiting.decide().onTermination().invoke(() -> leave(name, waiting));
        });
    }

    /** Returns {@code null} where the call cannot wait for the calls before it. */
    private synchronized Waiting enqueue(String name, long deadline, BiFunction<Duration, Place, Uni<Outcome>> attempt) {
        ArrayDeque<Waiting> queue = queues.computeIfAbsent(name, ignored -> new ArrayDeque<>());
        Waiting waiting = new Waiting(queue, deadline, attempt);
        if (queue.isEmpty()) {
            waiting.turn.complete(true);
        } else if (waiting.isTooLate() || !waiting.place.take()) {
            return null;
        }
        queue.add(waiting);
        return waiting;
    }

    private synchronized void leave(String name, Waiting waiting) {
        waiting.place.leave();
        boolean wasFirst = waiting.queue.peek() == waiting;
        waiting.queue.remove(waiting);
        Waiting next = waiting.queue.peek();
        if (next == null) {
            queues.remove(name);
        } else if (wasFirst) {
            // scheduled, because direct calls would nest once for each queued call
            timers.soon(() -> next.turn.complete(true));
        }
    }

    /** Ends the wait of queued calls that run out of time before the first call may be allowed. */
    private void denyLate(Waiting first, Duration time) {
        List<Waiting> tooLate;
        synchronized (this) {
            first.allowedAt = System.nanoTime() + time.toNanos();
            tooLate = first.queue.stream().skip(1).filter(Waiting::isTooLate).toList();
        }
        tooLate.forEach(waiting -> {
            waiting.place.leave();
            waiting.turn.complete(false);
        });
    }

    private final class Waiting {

        private final ArrayDeque<Waiting> queue;
        private final long deadline;
        private final BiFunction<Duration, Place, Uni<Outcome>> attempt;
        private final Place place = new Place(vacancies);
        /** Turn of the call: completed with {@code true} when it is first, with {@code false} if its time is over before. */
        private final CompletableFuture<Boolean> turn = new CompletableFuture<>();
        /** Time when it may be allowed, by {@link System#nanoTime}; {@code null} while this is unknown. */
        private Long allowedAt;
        /** Time until the next attempt; zero before the first one. */
        private Duration interval = Duration.ZERO;

        Waiting(ArrayDeque<Waiting> queue, long deadline, BiFunction<Duration, Place, Uni<Outcome>> attempt) {
            this.queue = queue;
            this.deadline = deadline;
            this.attempt = attempt;
        }

        /** Returns whether it runs out of time before it can be first. */
        boolean isTooLate() {
            Long firstAllowedAt = queue.element().allowedAt;
            return firstAllowedAt != null && firstAllowedAt - deadline > 0;
        }

        Uni<Outcome> decide() {
            // usually already known, so that no timer is needed
            return turn.isDone() ? decideAs(turn.join())
                    : Uni.combine().any()
                            .of(Uni.createFrom().completionStage(turn), timers.after(timeLeft()).replaceWith(false))
                            .chain(this::decideAs);
        }

        private Uni<Outcome> decideAs(boolean first) {
            return first ? Uni.createFrom().deferred(this::attempt).repeat().whilst(this::prepareRetry).collect().last()
                    : Uni.createFrom().deferred(() -> attempt.apply(Duration.ZERO, place));
        }

        private Uni<Outcome> attempt() {
            return interval.isZero() ? attempt.apply(timeLeft(), place)
                    : timers.after(interval).chain(() -> attempt.apply(timeLeft(), place));
        }

        /** Keeps the place of a denied call that may be allowed in time. Returns {@code false} if the outcome is final. */
        private boolean prepareRetry(Outcome outcome) {
            RateLimitException denial = outcome.newDenial();
            if (denial == null || denial.decision().neverAllowed() || denial instanceof RateLimitUnavailableException
                    || outcome.isBlocked()) {
                return false;
            }
            Duration wait = denial.decision().retryAfter();
            boolean waits = wait.compareTo(timeLeft()) <= 0 && place.take();
            if (waits) {
                denyLate(this, wait);
            }
            interval = wait.compareTo(LONGEST_INTERVAL) < 0 ? wait : LONGEST_INTERVAL;
            return waits;
        }

        /** Returns the time left in whole microseconds, the unit of limits. */
        private Duration timeLeft() {
            long nanos = Math.max(0, deadline - System.nanoTime());
            return Duration.ofNanos(nanos - nanos % 1_000);
        }
    }
}
