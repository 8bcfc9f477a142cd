package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call part by part, where the store cannot decide policies together whose keys lie apart: in a cluster. What
 * the first parts took is given back when a later one refuses.
 */
final class InTurn {

    private final Decider decider;
    private final GivingBack givingBack;
    private final long began;

    /**
     * @param began since when the call is decided, by {@link System#nanoTime}; the whole takes no longer than one question may
     */
    InTurn(Decider decider, GivingBack givingBack, long began) {
        this.decider = decider;
        this.givingBack = givingBack;
        this.began = began;
    }

    /**
     * What was decided so far.
     *
     * @param uncharged the same where nothing is charged in the end
     */
    record Part(Outcome outcome, Supplier<Outcome> uncharged) {

        private Part and(Part later) {
            return new Part(both(outcome, later.outcome), () -> both(uncharged.get(), later.uncharged.get()));
        }
    }

    Uni<Outcome> decide(List<Asked> asked) {
        Uni<Part> decided = null;
        for (List<Asked> part : parts(asked)) {
            decided = decided == null ? decider.decide(part, began) : decided.chain(before -> next(before, part));
        }
        return decided.map(Part::outcome);
    }

    private Uni<Part> next(Part before, List<Asked> part) {
        if (before.outcome.isRefused()) {
            return Uni.createFrom().item(before);
        }
        return decider.decide(part, began).chain(later -> later.outcome.isRefused()
                ? givingBack.giveBack(before.outcome, began)
                        .replaceWith(() -> new Part(both(before.uncharged.get(), later.outcome), before.uncharged))
                : Uni.createFrom().item(before.and(later)));
    }

    /** What is asked, with those together whose keys lie together; what can refuse comes first. */
    private static Collection<List<Asked>> parts(List<Asked> asked) {
        Map<String, List<Asked>> enforced = new LinkedHashMap<>();
        Map<String, List<Asked>> shadows = new LinkedHashMap<>();
        for (Asked one : asked) {
            String place = one.caller().isEmpty() ? one.charge().policy().name() + ' ' : one.caller();
            boolean refuses = one.charge().policy().mode() == Mode.ENFORCE;
            (refuses ? enforced : shadows).computeIfAbsent(place, ignored -> new ArrayList<>()).add(one);
        }
        shadows.forEach((place, shadow) -> enforced.merge(place, shadow, (refusing, counting) -> {
            refusing.addAll(counting);
            return refusing;
        }));
        return enforced.values();
    }

    /** Both outcomes as one, for a call that holds what both hold. */
    private static Outcome both(Outcome first, Outcome second) {
        List<Decided> decisions = new ArrayList<>(first.decisions());
        decisions.addAll(second.decisions());
        List<Decided> shadows = new ArrayList<>(first.shadows());
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
