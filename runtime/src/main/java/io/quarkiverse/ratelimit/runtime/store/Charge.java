package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Holds what a policy charges each call. It is prepared at the start, so that a request only adds the caller. */
public final class Charge {

    private final Policy policy;
    private final PermitRequest call;
    private final boolean differsByCaller;
    /** {@code null} if they differ for each call, because its id identifies its permits. */
    private final List<LimitOperation> operations;
    /** Created when a call first needs another form. */
    private volatile ChargeForms forms;

    public Charge(Policy policy, PermitRequest call) {
        this.policy = policy;
        this.call = policy.countWhen().areFew() || policy.mayWait() ? call.asRefundable() : call;
        this.differsByCaller = !policy.exempt().areNone() || !policy.plans().isEmpty();
        this.operations = policy.has(Algorithm.CONCURRENCY) ? null : operations(this.call);
    }

    public Policy policy() {
        return policy;
    }

    public PermitRequest call() {
        return call;
    }

    /** Whether exemptions or plans make a difference between callers. */
    public boolean differsByCaller() {
        return differsByCaller;
    }

    /** The same charge for another form of the policy. */
    public Charge with(Policy other) {
        return other == policy ? this : forms().with(other);
    }

    /** The same charge by the limits of a plan. */
    public Charge with(Plan plan) {
        return forms().with(plan);
    }

    /** The same charge at another cost. */
    public Charge costing(long cost) {
        return cost == call.cost() ? this : forms().costing(cost);
    }

    /** The rest of this charge after a part of its cost was charged, which also counted the call; {@code null} for none. */
    public Charge after(long charged) {
        return charged == 0 ? this : forms().after(charged);
    }

    /** The same charge for calls of which a part is usually refunded. */
    public Charge refundable() {
        return call.refundable() ? this : new Charge(policy, call.asRefundable());
    }

    private ChargeForms forms() {
        ChargeForms made = forms;
        if (made == null) {
            made = new ChargeForms(this);
            forms = made;
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
        return new PolicyRequest(policy, call, key, operations == null ? operations(call.withId(id)) : operations);
    }

    private List<LimitOperation> operations(PermitRequest call) {
        List<LimitOperation> operations = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            PermitRequest charged = limit.charged(call);
            operations.add(new LimitOperation(limit.name(), charged, limit.rule().acquire(charged)));
        }
        if (policy.penalty() != null && call.kind() != OperationKind.CHARGE) {
            operations.add(new LimitOperation(LimitOperation.PENALTY,
                    policy.penalty().apply(call.kind(), policy.limits().size())));
        }
        return List.copyOf(operations);
    }
}
