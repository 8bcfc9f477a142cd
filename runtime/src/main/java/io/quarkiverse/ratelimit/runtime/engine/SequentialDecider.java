package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call in several requests, where the store cannot decide all its policies together. This is the case in a cluster,
 * for keys in different slots. When a later request is denied, the earlier ones are refunded.
 */
public final class SequentialDecider extends Decider {

    private final Refunds refunds;

    public SequentialDecider(CallStore store, DenialCache denials, Fallback fallback, LeaseRenewal leases, FailureLog mistakes,
            Refunds refunds) {
        super(store, denials, fallback, leases, mistakes);
        this.refunds = refunds;
    }

    @Override
    Uni<Outcome> decide(Call call, Deadline deadline, Observers observers) {
        if (call.parts().size() == 1) {
            return super.decide(call, deadline, observers);
        }
        Uni<List<Outcome>> decided = Uni.createFrom().item(List.of());
        for (Call group : groups(call)) {
            decided = decided.chain(before -> next(before, group, deadline));
        }
        return decided.map(SequentialDecider::all).onFailure().recoverWithItem(mistake -> fallBack(call, mistake))
                .invoke(outcome -> observers.decided(outcome, call.exempt()));
    }

    private Uni<List<Outcome>> next(List<Outcome> before, Call group, Deadline deadline) {
        if (!before.isEmpty() && before.get(before.size() - 1).isDenied()) {
            return Uni.createFrom().item(before);
        }
        return super.decide(group, deadline, Observers.NONE).chain(outcome -> {
            List<Outcome> decided = new ArrayList<>(before);
            if (!outcome.isDenied() || before.isEmpty()) {
                decided.add(outcome);
                return Uni.createFrom().item(decided);
            }
            decided.replaceAll(Outcome::uncharged);
            decided.add(outcome);
            return refunds.refund(leases.begin(group, all(before)), deadline).replaceWith(decided);
        });
    }

    /** Groups the policies whose keys lie in the same place. The groups that can deny the call come first. */
    private static List<Call> groups(Call call) {
        Map<String, Call> byPlace = new LinkedHashMap<>();
        call.parts().stream().sorted(Comparator.comparing(part -> part.charge().shadow))
                .forEach(part -> byPlace.computeIfAbsent(place(part), ignored -> new Call(call.id()))
                        .add(part.charge(), part.key()));
        return List.copyOf(byPlace.values());
    }

    private static String place(PolicyPart part) {
        return part.key().isEmpty() ? part.policy().name() + ' ' : part.key();
    }

    private static Outcome all(List<Outcome> outcomes) {
        return new Outcome(outcomes.stream().flatMap(outcome -> outcome.decisions().stream()).toList(),
                outcomes.stream().flatMap(outcome -> outcome.shadows().stream()).toList(), Lease.NONE);
    }
}
