package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Steps.Step;
import io.smallrye.mutiny.Uni;

/**
 * Asks a policy and its overflows slot by slot: the next slot if the one before denies. So nothing has to be refunded.
 *
 * @param slot decides the policies of one slot, without the denials that this instance remembers
 * @param denials decides by the denials that this instance remembers, if it remembers those of all policies
 */
public record OverflowAcrossSlots(Decider slot, Step denials, LongSupplier nanoTime) implements Decider {

    /** @param call of one policy and its overflows */
    @Override
    public Uni<Outcome> decide(Call call) {
        Outcome known = denials.before(call, nanoTime.getAsLong());
        return known != null ? Uni.createFrom().item(known) : ask(slots(call), 0, List.of());
    }

    /** Asks the slots from this one on. Denials do not count towards a block until the last slot denies, too. */
    private Uni<Outcome> ask(List<Call> slots, int index, List<Decision> before) {
        Call uncounted = slots.get(index).with(slots.get(index).id(), slots.get(index).deadline(),
                keyed -> keyed.charge().withoutCountingDenials());
        return slot.decide(uncounted).chain(outcome -> {
            List<Decision> asked = joined(before, outcome);
            if (!outcome.isDenied() || isFinal(asked.get(0))) {
                return Uni.createFrom().item(outcomeOf(asked));
            }
            if (index + 1 < slots.size()) {
                return ask(slots, index + 1, asked);
            }
            boolean counts = slots.stream().flatMap(call -> call.charges().stream())
                    .anyMatch(keyed -> keyed.policy().countsDenials());
            return counts ? count(slots, 0, List.of()) : Uni.createFrom().item(outcomeOf(asked));
        });
    }

    /** Returns whether a first policy denies, so that no overflow is asked. */
    private static boolean isFinal(Decision first) {
        DenialReason reason = first.reason();
        return reason == DenialReason.BLOCKED || reason == DenialReason.PAUSED || reason == DenialReason.REDIS_UNAVAILABLE;
    }

    /** Asks once more where penalties count the denial, until one allows the call after all. */
    private Uni<Outcome> count(List<Call> slots, int index, List<Decision> before) {
        if (index == slots.size()) {
            return Uni.createFrom().item(outcomeOf(before));
        }
        return slot.decide(slots.get(index)).chain(outcome -> {
            List<Decision> asked = joined(before, outcome);
            return outcome.isDenied() ? count(slots, index + 1, asked) : Uni.createFrom().item(outcomeOf(asked));
        });
    }

    private static List<Decision> joined(List<Decision> before, Outcome outcome) {
        List<Decision> all = new ArrayList<>(before);
        outcome.decisions().forEach(decision -> all.addAll(decision.asked()));
        return all;
    }

    private static Outcome outcomeOf(List<Decision> asked) {
        return new Outcome(List.of(Decision.ofChain(asked)));
    }

    /** Divides the policies, in the order in which they are asked. One without limits needs no request of its own. */
    private static List<Call> slots(Call call) {
        List<List<KeyedCharge>> slots = new ArrayList<>();
        String last = null;
        for (KeyedCharge keyed : call.charges()) {
            String slotKey = keyed.charge().isWithoutLimits() ? last : AcrossSlots.slotKey(keyed);
            if (!slotKey.equals(last)) {
                slots.add(new ArrayList<>(1));
                last = slotKey;
            }
            slots.get(slots.size() - 1).add(keyed);
        }
        return slots.stream().map(charges -> new Call(call.id(), charges, call.deadline())).toList();
    }
}
