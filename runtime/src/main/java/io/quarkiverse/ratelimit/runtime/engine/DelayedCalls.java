package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;

import io.smallrye.mutiny.Uni;

/**
 * Delays calls that have acquired their permits ahead of time. When too many calls are delayed, a call is decided
 * without a delay. A canceled call refunds its permits.
 */
final class DelayedCalls {

    private final Decider decider;
    private final Refunds refunds;
    private final BoundedCount places;
    private final Timers timers;

    DelayedCalls(Decider decider, Refunds refunds, BoundedCount places, Timers timers) {
        this.decider = decider;
        this.refunds = refunds;
        this.places = places;
        this.timers = timers;
    }

    /** Decides a call. Completes when the call may go ahead or is denied. */
    Uni<Outcome> decide(List<KeyedCharge> asked) {
        return mayWait(asked) || runs(asked) ? decideOrRefund(asked, false) : decider.decide(asked);
    }

    /**
     * Decides a call within the time that is left.
     *
     * @param began when its decision began, by {@link System#nanoTime}
     */
    Uni<Outcome> decide(List<KeyedCharge> asked, long began) {
        return mayWait(asked) || runs(asked) ? decideOrRefund(asked, false, began) : decider.decideSince(began, asked);
    }

    /**
     * Decides a call. If the subscriber cancels before the reply arrives, refunds what the call has acquired.
     *
     * @param hasPlace whether the call is already counted as delayed, as it waits in a queue
     */
    Uni<Outcome> decideOrRefund(List<KeyedCharge> asked, boolean hasPlace) {
        return Uni.createFrom().deferred(() -> decideOrRefund(asked, hasPlace, System.nanoTime()));
    }

    /** All requests to Redis share one timeout, which starts at {@code began}. Only the delay comes on top. */
    private Uni<Outcome> decideOrRefund(List<KeyedCharge> asked, boolean hasPlace, long began) {
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
                                : refunds.refund(outcome, began).chain(() -> answer(atOnce(asked), began)));
    }

    private Uni<Outcome> answer(List<KeyedCharge> asked, long began) {
        return Uni.createFrom().deferred(() -> {
            Uni<Outcome> answer = decider.decideSince(began, asked).memoize().indefinitely();
            return answer.onCancellation().invoke(() -> answer.chain(refunds::refund).subscribe().with(ignored -> {
            }));
        });
    }

    private Uni<Outcome> hold(Outcome outcome) {
        outcome.lease().hold();
        return timers.after(outcome.delay())
                .onCancellation().call(() -> refunds.refund(outcome))
                .replaceWith(outcome);
    }

    private static boolean mayWait(List<KeyedCharge> asked) {
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).charge().policy().mayWait()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the call holds permits while it runs. */
    private static boolean runs(List<KeyedCharge> asked) {
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).charge().holdsPermits()) {
                return true;
            }
        }
        return false;
    }

    private static List<KeyedCharge> atOnce(List<KeyedCharge> asked) {
        List<KeyedCharge> atOnce = new ArrayList<>(asked.size());
        for (KeyedCharge one : asked) {
            atOnce.add(new KeyedCharge(one.charge().atOnce(), one.caller()));
        }
        return atOnce;
    }
}
