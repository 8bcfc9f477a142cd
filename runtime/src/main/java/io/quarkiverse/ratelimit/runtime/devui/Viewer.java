package io.quarkiverse.ratelimit.runtime.devui;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.ratelimit.runtime.devui.LiveDecisions.Told;

/** Collects decisions for one browser from one look to the next, and leaves out what nobody could read. */
final class Viewer {

    private static final int MOST = 100;

    private final BlockingQueue<Told> waiting = new ArrayBlockingQueue<>(MOST);
    private final AtomicLong leftOut = new AtomicLong();

    void show(Told told) {
        if (!waiting.offer(told)) {
            leftOut.incrementAndGet();
        }
    }

    Seen look() {
        List<Told> all = new ArrayList<>();
        waiting.drainTo(all);
        return new Seen(all.stream().map(SeenDecision::of).toList(), leftOut.getAndSet(0));
    }

    /** @param leftOut how many decisions came too fast to be shown */
    public record Seen(List<SeenDecision> decisions, long leftOut) {
    }

    /**
     * A decision at its time.
     *
     * @param time milliseconds since the epoch
     * @param decision {@code null} where the caller is exempt
     */
    public record SeenDecision(long time, String policy, String outcome, ShownDecision decision) {

        static SeenDecision of(Told told) {
            return new SeenDecision(told.time(), told.policy(), told.outcome(),
                    told.decision() == null ? null : ShownDecision.of(told.decision()));
        }
    }
}
