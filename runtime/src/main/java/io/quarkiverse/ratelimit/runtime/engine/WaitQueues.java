package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Queues calls for permits that cannot be acquired in advance. Each caller of a policy has its own queue, in the
 * order of arrival. The first call is retried as soon as it may be allowed; the calls behind it wait until they are
 * first. A call that cannot wait that long is decided immediately.
 */
public final class WaitQueues {

    /** The longest pause between two attempts, as limits may be overridden and permits refunded meanwhile. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

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
     * @param attempt decides, with a delay of at most the given time
     */
    Uni<Outcome> decide(String name, Duration maxWait, Function<Duration, Uni<Outcome>> attempt) {
        return Uni.createFrom().deferred(() -> {
            if (!vacancies.tryAcquire()) {
                return attempt.apply(Duration.ZERO);
            }
            Waiting waiting = enqueue(name, System.nanoTime() + maxWait.toNanos(), attempt);
            return waiting.decide().onTermination().invoke(() -> leave(name, waiting));
        });
    }

    private synchronized Waiting enqueue(String name, long deadline, Function<Duration, Uni<Outcome>> attempt) {
        ArrayDeque<Waiting> queue = queues.computeIfAbsent(name, ignored -> new ArrayDeque<>());
        Waiting waiting = new Waiting(queue, deadline, attempt);
        queue.add(waiting);
        if (queue.peek() == waiting) {
            waiting.turn.complete(true);
        } else if (waiting.isTooLate()) {
            waiting.turn.complete(false);
        }
        return waiting;
    }

    private synchronized void leave(String name, Waiting waiting) {
        vacancies.release();
        boolean wasFirst = waiting.queue.peek() == waiting;
        waiting.queue.remove(waiting);
        Waiting next = waiting.queue.peek();
        if (next == null) {
            queues.remove(name);
        } else if (wasFirst) {
            // scheduled, as a direct call would nest the stack as deep as the queue is long
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
        tooLate.forEach(waiting -> waiting.turn.complete(false));
    }

    private final class Waiting {

        private final ArrayDeque<Waiting> queue;
        private final long deadline;
        private final Function<Duration, Uni<Outcome>> attempt;
        /** Completed with whether the call is first in its queue, or its time is over before. */
        private final CompletableFuture<Boolean> turn = new CompletableFuture<>();
        /** When it may be allowed, by {@link System#nanoTime}; {@code null} while this is unknown. */
        private Long allowedAt;
        private Duration pause = Duration.ZERO;

        Waiting(ArrayDeque<Waiting> queue, long deadline, Function<Duration, Uni<Outcome>> attempt) {
            this.queue = queue;
            this.deadline = deadline;
            this.attempt = attempt;
        }

        /** Whether it runs out of time before it can be first. */
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
            return first ? Uni.createFrom().deferred(this::attempt).repeat().whilst(this::continues).collect().last()
                    : Uni.createFrom().deferred(() -> attempt.apply(Duration.ZERO));
        }

        private Uni<Outcome> attempt() {
            return pause.isZero() ? attempt.apply(timeLeft()) : timers.after(pause).chain(() -> attempt.apply(timeLeft()));
        }

        private boolean continues(Outcome outcome) {
            RateLimitException denial = outcome.newDenial();
            if (denial == null || denial.decision().neverAllowed() || denial instanceof RateLimitUnavailableException
                    || denial.decision().denialReason().filter(DenialReason.BLOCKED::equals).isPresent()) {
                return false;
            }
            Duration closed = denial.decision().retryAfter();
            boolean inTime = closed.compareTo(timeLeft()) <= 0;
            if (inTime) {
                denyLate(this, closed);
            }
            pause = closed.compareTo(LONGEST_PAUSE) < 0 ? closed : LONGEST_PAUSE;
            return inTime;
        }

        /** In whole microseconds, as limits have it. */
        private Duration timeLeft() {
            long nanos = Math.max(0, deadline - System.nanoTime());
            return Duration.ofNanos(nanos - nanos % 1_000);
        }
    }
}
