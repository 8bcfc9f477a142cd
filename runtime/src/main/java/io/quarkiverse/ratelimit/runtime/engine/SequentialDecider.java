package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.PolicyCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call part by part, where the store cannot decide all its policies together. This is the case in a cluster,
 * for keys in different slots. When a later part is denied, the earlier parts are refunded.
 */
final class SequentialDecider {

    private final Decider decider;
    private final Refunds refunds;
    private final Deadline deadline;

    /** @param deadline of all parts together */
    SequentialDecider(Decider decider, Refunds refunds, Deadline deadline) {
        this.decider = decider;
        this.refunds = refunds;
        this.deadline = deadline;
    }

    Uni<Outcome> decide(Call call) {
        Uni<List<Part>> decided = Uni.createFrom().item(List.of());
        for (Call part : parts(call)) {
            decided = decided.chain(before -> next(before, part));
        }
        return decided.map(parts -> all(parts.stream().map(Part::outcome).toList()));
    }

    private Uni<List<Part>> next(List<Part> before, Call part) {
        if (!before.isEmpty() && before.get(before.size() - 1).outcome().isDenied()) {
            return Uni.createFrom().item(before);
        }
        return decider.decidePart(part, deadline).chain(later -> {
            List<Part> parts = new ArrayList<>(before);
            if (!later.outcome().isDenied() || before.isEmpty()) {
                parts.add(later);
                return Uni.createFrom().item(parts);
            }
            parts.replaceAll(Part::uncharged);
            parts.add(later);
            return refunds.refund(all(before.stream().map(Part::outcome).toList()), deadline).replaceWith(parts);
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

    /**
     * A part of a call.
     *
     * @param reply {@code null} when the fallback has decided
     */
    record Part(Outcome outcome, Call call, StoreReply reply) {

        /** The same part of a call that is not charged in the end. */
        Part uncharged() {
            return reply == null ? this
                    : new Part(Outcome.ofUncharged(call, reply), call, null);
        }
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
