package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.smallrye.mutiny.Uni;

/**
 * Queues calls for permits that cannot be acquired ahead of time. Each caller of a policy has its own queue, in the
 * order of arrival. The first call is retried as soon as it may be allowed; the calls behind it wait until they are
 * first. A call that cannot wait that long is decided immediately.
 */
public final class WaitQueues {

    /** The longest pause between two attempts, as limits may be overridden and permits refunded meanwhile. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final BoundedCount places;
    private final Timers timers;
    private final Map<String, Line> lines = new HashMap<>();

    public WaitQueues(BoundedCount places, Timers timers) {
        this.places = places;
        this.timers = timers;
    }

    /**
     * Decides when the call is first in its queue, at the latest when its maximum wait is over.
     *
     * @param name identifies the queue
     * @param ask decides, with a delay of at most the given time
     */
    Uni<Outcome> decide(String name, Duration maxWait, Function<Duration, Uni<Outcome>> ask) {
        return Uni.createFrom().deferred(() -> {
            if (!places.take()) {
                return ask.apply(Duration.ZERO);
            }
            Waiting waiting = lineUp(name, System.nanoTime() + maxWait.toNanos(), ask);
            return waiting.decide().onTermination().invoke(() -> leave(name, waiting));
        });
    }

    private synchronized Waiting lineUp(String name, long deadline, Function<Duration, Uni<Outcome>> ask) {
        Line line = lines.computeIfAbsent(name, ignored -> new Line());
        Waiting waiting = new Waiting(line, deadline, ask);
        line.all.add(waiting);
        if (line.all.size() == 1) {
            waiting.turn.complete(true);
        } else if (line.isTooLongFor(waiting)) {
            waiting.turn.complete(false);
        }
        return waiting;
    }

    private synchronized void leave(String name, Waiting waiting) {
        places.leave();
        Line line = waiting.line;
        boolean wasFirst = line.all.peek() == waiting;
        line.all.remove(waiting);
        if (line.all.isEmpty()) {
            lines.remove(name);
        } else if (wasFirst) {
            line.opensAt = null;
            Waiting next = line.all.peek();
            // scheduled, as a direct call would nest the stack as deep as the queue is long
            timers.soon(() -> next.turn.complete(true));
        }
    }

    /** Ends the wait of queued calls that run out of time before the first call may be allowed. */
    private void closedFor(Line line, Duration time) {
        for (Waiting tooLate : stillClosed(line, System.nanoTime() + time.toNanos())) {
            tooLate.turn.complete(false);
        }
    }

    private synchronized List<Waiting> stillClosed(Line line, long opensAt) {
        line.opensAt = opensAt;
        return line.all.stream().skip(1).filter(line::isTooLongFor).toList();
    }

    private static final class Line {

        private final ArrayDeque<Waiting> all = new ArrayDeque<>();
        /** When the first call may be allowed, by {@link System#nanoTime}; {@code null} while this is unknown. */
        private Long opensAt;

        /** Whether a call behind the first runs out of time before it can be first. */
        boolean isTooLongFor(Waiting waiting) {
            return opensAt != null && opensAt - waiting.deadline > 0;
        }
    }

    private final class Waiting {

        private final Line line;
        private final long deadline;
        private final Function<Duration, Uni<Outcome>> ask;
        private final CompletableFuture<Boolean> turn = new CompletableFuture<>();
        private Duration pause = Duration.ZERO;

        Waiting(Line line, long deadline, Function<Duration, Uni<Outcome>> ask) {
            this.line = line;
            this.deadline = deadline;
            this.ask = ask;
        }

        Uni<Outcome> decide() {
            Uni<Boolean> timeIsOver = timers.after(timeLeft()).replaceWith(false);
            return Uni.combine().any().of(Uni.createFrom().completionStage(turn), timeIsOver)
                    .chain(isFirst -> isFirst
                            ? Uni.createFrom().deferred(this::ask).repeat().whilst(this::goesOn).collect().last()
                            : ask.apply(Duration.ZERO));
        }

        private Uni<Outcome> ask() {
            return pause.isZero() ? ask.apply(timeLeft()) : timers.after(pause).chain(() -> ask.apply(timeLeft()));
        }

        private boolean goesOn(Outcome answer) {
            RateLimitException denial = answer.denial();
            if (denial == null || denial.decision().neverAllowed() || denial instanceof RateLimitUnavailableException) {
                return false;
            }
            Duration closed = denial.decision().retryAfter();
            boolean inTime = closed.compareTo(timeLeft()) <= 0;
            if (inTime) {
                closedFor(line, closed);
            }
            pause = closed.compareTo(LONGEST_PAUSE) < 0 ? closed : LONGEST_PAUSE;
            return inTime;
        }

        private Duration timeLeft() {
            return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        }
    }
}
