package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
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

    Uni<Outcome> decide(StoreRequest request) {
        Uni<List<Part>> decided = Uni.createFrom().item(List.of());
        for (List<PolicyRequest> part : parts(request)) {
            decided = decided.chain(before -> next(before, new StoreRequest(part, request.equalGrants(), request.id())));
        }
        return decided.map(parts -> all(parts.stream().map(Part::outcome).toList()));
    }

    private Uni<List<Part>> next(List<Part> before, StoreRequest part) {
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
    private static Collection<List<PolicyRequest>> parts(StoreRequest request) {
        Map<String, List<PolicyRequest>> enforced = new LinkedHashMap<>();
        Map<String, List<PolicyRequest>> shadows = new LinkedHashMap<>();
        for (PolicyRequest policy : request.parts()) {
            String place = policy.key().isEmpty() ? policy.policy().name() + ' ' : policy.key();
            boolean denies = policy.policy().mode() == Mode.ENFORCE;
            (denies ? enforced : shadows).computeIfAbsent(place, ignored -> new ArrayList<>()).add(policy);
        }
        shadows.forEach((place, shadow) -> enforced.merge(place, shadow, (denying, counting) -> {
            denying.addAll(counting);
            return denying;
        }));
        return enforced.values();
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
    record Part(Outcome outcome, StoreRequest request, StoreReply reply) {

        /** The same part of a call that is not charged in the end. */
        Part uncharged() {
            return reply == null ? this
                    : new Part(Outcome.ofUncharged(request, reply), request, null);
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
