package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.smallrye.mutiny.Uni;

/**
 * Holds back calls that have taken their permits ahead of time. Where no place is left a call is decided as if there
 * were nothing to wait for; one that is cancelled gives back what it took.
 */
final class Holding {

    private final Decider decider;
    private final GivingBack givingBack;
    private final Places places;
    private final Timers timers;

    Holding(Decider decider, GivingBack givingBack, Places places, Timers timers) {
        this.decider = decider;
        this.givingBack = givingBack;
        this.places = places;
        this.timers = timers;
    }

    /** Decides a call, and completes when it may go ahead. */
    Uni<Outcome> decide(List<Asked> asked) {
        return mayWait(asked) || runs(asked) ? decideOrGiveBack(asked, false) : decider.decide(asked);
    }

    /**
     * Does the same within the time that is left.
     *
     * @param began since when the call is decided, by {@link System#nanoTime}
     */
    Uni<Outcome> decide(List<Asked> asked, long began) {
        return mayWait(asked) || runs(asked) ? decideOrGiveBack(asked, false, began) : decider.decideSince(began, asked);
    }

    /**
     * Does the same; who cancels before the answer is there gives back what it turns out to have taken.
     *
     * @param hasPlace whether the call has a place already, as it waits in line
     */
    Uni<Outcome> decideOrGiveBack(List<Asked> asked, boolean hasPlace) {
        return Uni.createFrom().deferred(() -> decideOrGiveBack(asked, hasPlace, System.nanoTime()));
    }

    /** All questions to Redis share one timeout, which began then; only the delay comes on top. */
    private Uni<Outcome> decideOrGiveBack(List<Asked> asked, boolean hasPlace, long began) {
        if (!mayWait(asked)) {
            return answer(asked, began);
        }
        if (hasPlace) {
            return answer(asked, began).chain(
                    outcome -> outcome.delay().isZero() ? Uni.createFrom().item(outcome) : hold(outcome));
        }
        return places.areTaken() ? answer(atOnce(asked), began)
                : answer(asked, began).chain(outcome -> outcome.delay().isZero() ? Uni.createFrom().item(outcome)
                        : places.take() ? hold(outcome).onTermination().invoke(places::leave)
                                : givingBack.giveBack(outcome, began).chain(() -> answer(atOnce(asked), began)));
    }

    private Uni<Outcome> answer(List<Asked> asked, long began) {
        return Uni.createFrom().deferred(() -> {
            Uni<Outcome> answer = decider.decideSince(began, asked).memoize().indefinitely();
            return answer.onCancellation().invoke(() -> answer.chain(givingBack::giveBack).subscribe().with(ignored -> {
            }));
        });
    }

    private Uni<Outcome> hold(Outcome outcome) {
        outcome.lease().hold();
        return timers.after(outcome.delay())
                .onCancellation().call(() -> givingBack.giveBack(outcome))
                .replaceWith(outcome);
    }

    private static boolean mayWait(List<Asked> asked) {
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).charge().policy().mayWait()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the call holds permits while it runs. */
    private static boolean runs(List<Asked> asked) {
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).charge().holdsPermits()) {
                return true;
            }
        }
        return false;
    }

    private static List<Asked> atOnce(List<Asked> asked) {
        List<Asked> atOnce = new ArrayList<>(asked.size());
        for (Asked one : asked) {
            atOnce.add(new Asked(one.charge().atOnce(), one.caller()));
        }
        return atOnce;
    }
}
