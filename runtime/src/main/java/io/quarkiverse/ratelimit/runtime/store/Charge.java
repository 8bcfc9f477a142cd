package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** What one policy charges each call, prepared at the start; a call only adds its key and its id. */
public final class Charge {

    private final Policy policy;
    private final PermitRequest requested;
    private final boolean differsByCaller;
    /** {@code null} if they differ for each call, because its id identifies its permits. */
    private final List<LimitOperation> operations;
    /** Created when a call first needs one. */
    private volatile ChargeVariants variants;

    public Charge(Policy policy, PermitRequest requested) {
        this.policy = policy;
        this.requested = policy.countWhen().areRestricted() || policy.mayDelay() ? requested.asRefundable() : requested;
        this.differsByCaller = !policy.exempt().areNone() || !policy.plans().isEmpty();
        this.operations = policy.holdsPermits() ? null : operations(this.requested);
    }

    public Policy policy() {
        return policy;
    }

    public PermitRequest requested() {
        return requested;
    }

    /** Whether exemptions or plans make a difference between callers. */
    public boolean differsByCaller() {
        return differsByCaller;
    }

    /** The same charge for another variant of the policy. */
    public Charge with(Policy other) {
        return other == policy ? this : variants().with(other);
    }

    /** The same charge by the limits of a plan. */
    public Charge with(Plan plan) {
        return variants().with(plan);
    }

    /** The same charge at another cost. */
    public Charge costing(long cost) {
        return cost == requested.cost() ? this : variants().costing(cost);
    }

    /** The same charge for calls of which a part is usually refunded. */
    public Charge refundable() {
        return requested.refundable() ? this : new Charge(policy, requested.asRefundable());
    }

    private ChargeVariants variants() {
        ChargeVariants made = variants;
        if (made == null) {
            made = new ChargeVariants(this);
            variants = made;
        }
        return made;
    }

    /**
     * Creates the policy's part of a request.
     *
     * @param key the stored form of the caller's key
     * @param id identifies the call among all others
     */
    public PolicyRequest request(String key, long id) {
        return new PolicyRequest(policy, requested, key, operations == null ? operations(requested.withId(id)) : operations);
    }

    private List<LimitOperation> operations(PermitRequest requested) {
        List<LimitOperation> operations = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            PermitRequest charged = limit.charged(requested);
            operations.add(new LimitOperation(limit.name(), charged, limit.rule().acquire(charged)));
        }
        if (policy.penalty() != null && requested.kind() != OperationKind.CHARGE) {
            operations.add(new LimitOperation(LimitOperation.PENALTY,
                    policy.penalty().apply(requested.kind(), policy.limits().size())));
        }
        return List.copyOf(operations);
    }
}
