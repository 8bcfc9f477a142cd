package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.denials.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call part by part, where the store cannot decide all its policies together. This is the case in a cluster,
 * for keys in different slots. When a later part is denied, the earlier parts are refunded.
 */
public final class SequentialDecider extends Decider {

    private final LeaseRenewal leases;
    private final Refunds refunds;

    public SequentialDecider(CallStore store, DenialCache denials, Fallback fallback, LeaseRenewal leases, FailureLog mistakes,
            Refunds refunds) {
        super(store, denials, fallback, leases, mistakes);
        this.leases = leases;
        this.refunds = refunds;
    }

    /** The outcome has the leases of all parts. */
    @Override
    Uni<Outcome> decide(Call call, Deadline deadline, Consumer<Outcome> observed) {
        if (call.policies().size() == 1) {
            return super.decide(call, deadline, observed);
        }
        Uni<List<Outcome>> decided = Uni.createFrom().item(List.of());
        for (Call part : parts(call)) {
            decided = decided.chain(before -> next(before, part, deadline));
        }
        return decided.map(SequentialDecider::all).onFailure().recoverWithItem(mistake -> fallBack(call, mistake))
                .invoke(observed);
    }

    private Uni<List<Outcome>> next(List<Outcome> before, Call part, Deadline deadline) {
        if (!before.isEmpty() && before.get(before.size() - 1).isDenied()) {
            return Uni.createFrom().item(before);
        }
        return super.decide(part, deadline, ignored -> {
        }).chain(outcome -> {
            List<Outcome> parts = new ArrayList<>(before);
            if (!outcome.isDenied() || before.isEmpty()) {
                parts.add(leases.begin(part, outcome));
                return Uni.createFrom().item(parts);
            }
            parts.replaceAll(Outcome::uncharged);
            parts.add(outcome);
            return refunds.refund(all(before), deadline).replaceWith(parts);
        });
    }

    /** Groups the policies whose keys lie in the same place. The groups that can deny the call come first. */
    private static List<Call> parts(Call call) {
        Map<String, List<PolicyCall>> byPlace = new LinkedHashMap<>();
        Stream.of(false, true).forEach(shadow -> call.policies().stream().filter(policy -> policy.shadow() == shadow)
                .forEach(policy -> byPlace.computeIfAbsent(place(policy), ignored -> new ArrayList<>()).add(policy)));
        return byPlace.values().stream().map(policies -> {
            Call part = new Call(call.id());
            policies.forEach(policy -> part.add(policy.charge(), policy.key()));
            return part;
        }).toList();
    }

    private static String place(PolicyCall policy) {
        return policy.key().isEmpty() ? policy.policy().name() + ' ' : policy.key();
    }

    /** Joins outcomes; the lease holds the permits of all. */
    private static Outcome all(List<Outcome> parts) {
        List<Decision> decisions = new ArrayList<>();
        List<Decision> shadows = new ArrayList<>();
        List<Lease> leases = new ArrayList<>();
        for (Outcome part : parts) {
            decisions.addAll(part.decisions());
            shadows.addAll(part.shadows());
            if (part.lease() != Lease.NONE) {
                leases.add(part.lease());
            }
        }
        return new Outcome(decisions, shadows, leases.isEmpty() ? Lease.NONE : new LeaseOfAll(leases));
    }

    private record LeaseOfAll(List<Lease> leases) implements Lease {

        @Override
        public Uni<Void> release() {
            return Uni.join().all(leases.stream().map(Lease::release).toList()).andFailFast().replaceWithVoid();
        }

        @Override
        public void confirm(BooleanSupplier ended) {
            leases.forEach(lease -> lease.confirm(ended));
        }
    }
}
