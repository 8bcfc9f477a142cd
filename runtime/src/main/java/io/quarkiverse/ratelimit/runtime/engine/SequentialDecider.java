package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.engine.Outcome.PolicyDecision;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call part by part, where the store cannot decide all its policies together. This is the case in a cluster,
 * for keys in different slots. When a later part is denied, the earlier parts are refunded.
 */
final class SequentialDecider {

    private final Decider decider;
    private final Refunds refunds;
    private final long began;

    /**
     * @param began when the decision began, by {@link System#nanoTime}; all parts together take no longer than one
     *        request may
     */
    SequentialDecider(Decider decider, Refunds refunds, long began) {
        this.decider = decider;
        this.refunds = refunds;
        this.began = began;
    }

    /**
     * The result of the parts so far.
     *
     * @param uncharged returns the same outcome for a call that is not charged in the end
     */
    record Part(Outcome outcome, Supplier<Outcome> uncharged) {

        private Part and(Part later) {
            return new Part(both(outcome, later.outcome), () -> both(uncharged.get(), later.uncharged.get()));
        }
    }

    Uni<Outcome> decide(List<KeyedCharge> asked) {
        Uni<Part> decided = null;
        for (List<KeyedCharge> part : parts(asked)) {
            decided = decided == null ? decider.decide(part, began) : decided.chain(before -> next(before, part));
        }
        return decided.map(Part::outcome);
    }

    private Uni<Part> next(Part before, List<KeyedCharge> part) {
        if (before.outcome.isDenied()) {
            return Uni.createFrom().item(before);
        }
        return decider.decide(part, began).chain(later -> later.outcome.isDenied()
                ? refunds.refund(before.outcome, began)
                        .replaceWith(() -> new Part(both(before.uncharged.get(), later.outcome), before.uncharged))
                : Uni.createFrom().item(before.and(later)));
    }

    /** Groups the charges whose keys lie in the same place. The groups that can deny the call come first. */
    private static Collection<List<KeyedCharge>> parts(List<KeyedCharge> asked) {
        Map<String, List<KeyedCharge>> enforced = new LinkedHashMap<>();
        Map<String, List<KeyedCharge>> shadows = new LinkedHashMap<>();
        for (KeyedCharge one : asked) {
            String place = one.caller().isEmpty() ? one.charge().policy().name() + ' ' : one.caller();
            boolean denies = one.charge().policy().mode() == Mode.ENFORCE;
            (denies ? enforced : shadows).computeIfAbsent(place, ignored -> new ArrayList<>()).add(one);
        }
        shadows.forEach((place, shadow) -> enforced.merge(place, shadow, (denying, counting) -> {
            denying.addAll(counting);
            return denying;
        }));
        return enforced.values();
    }

    /** Merges two outcomes; the lease holds the permits of both. */
    private static Outcome both(Outcome first, Outcome second) {
        List<PolicyDecision> decisions = new ArrayList<>(first.decisions());
        decisions.addAll(second.decisions());
        List<PolicyDecision> shadows = new ArrayList<>(first.shadows());
        shadows.addAll(second.shadows());
        return new Outcome(decisions, shadows, both(first.lease(), second.lease()));
    }

    private static Lease both(Lease first, Lease second) {
        if (first == Lease.NONE || second == Lease.NONE) {
            return first == Lease.NONE ? second : first;
        }
        return new Lease() {

            @Override
            public Uni<Void> release() {
                return Uni.join().all(first.release(), second.release()).andFailFast().replaceWithVoid();
            }

            @Override
            public void hold(BooleanSupplier ended) {
                first.hold(ended);
                second.hold(ended);
            }
        };
    }
}
