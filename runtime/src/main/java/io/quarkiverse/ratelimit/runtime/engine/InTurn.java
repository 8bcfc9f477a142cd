package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call part by part, where the store cannot decide policies together whose keys lie apart: in a cluster. What
 * the first parts took is given back when a later one refuses.
 */
final class InTurn {

    private InTurn() {
    }

    /** What is asked, with those together whose keys lie together; what can refuse comes first. */
    static Collection<List<Asked>> parts(List<Asked> asked) {
        Map<String, List<Asked>> enforced = new LinkedHashMap<>();
        Map<String, List<Asked>> shadows = new LinkedHashMap<>();
        for (Asked one : asked) {
            String place = one.caller().isEmpty() ? one.charge().policy().name() + ' ' : one.caller();
            boolean refuses = one.charge().policy().mode() == Mode.ENFORCE;
            (refuses ? enforced : shadows).computeIfAbsent(place, ignored -> new ArrayList<>()).add(one);
        }
        shadows.forEach((place, shadow) -> {
            if (enforced.containsKey(place)) {
                enforced.get(place).addAll(shadow);
            } else {
                enforced.put(place, shadow);
            }
        });
        return enforced.values();
    }

    /** Both outcomes as one, for a call that holds what both hold. */
    static Outcome both(Outcome first, Outcome second) {
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
