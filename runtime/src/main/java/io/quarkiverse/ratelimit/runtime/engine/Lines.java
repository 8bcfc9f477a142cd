package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.smallrye.mutiny.Uni;

/**
 * Lets calls wait in line for permits that cannot be taken ahead of time, one line for each caller of a policy, in the
 * order of their arrival. The first in line asks again as soon as it may be admitted; those behind it wait for their turn.
 * Who cannot wait for its turn is decided at once.
 */
final class Lines {

    /** After that the first asks again in any case, as limits may have been overridden and permits given back. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final Places places;
    private final Timers timers;
    private final Map<String, Line> lines = new HashMap<>();

    Lines(Places places, Timers timers) {
        this.places = places;
        this.timers = timers;
    }

    /**
     * Decides when it is the call's turn, at the latest when its time is over.
     *
     * @param name tells the line from others
     * @param ask decides, holding back for at most the time that is left
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
            // not at once: for a long line the stack would be as deep
            timers.soon(() -> next.turn.complete(true));
        }
    }

    /** The first in line cannot be admitted for so long, and nobody behind it before. */
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
        /** When the first may be admitted, by {@link System#nanoTime}; {@code null} while nobody knows. */
        private Long opensAt;

        /** Whether the time of one behind the first is over before its turn. */
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
            RateLimitExceededException refusal = answer.refusal();
            if (refusal == null || refusal.decision().neverAllowed() || refusal instanceof RateLimitUnavailableException) {
                return false;
            }
            Duration closed = refusal.decision().retryAfter();
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
