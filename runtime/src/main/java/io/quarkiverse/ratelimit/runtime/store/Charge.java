package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Prepares what a policy charges a call, so that a request for a caller needs no more work. */
public final class Charge {

    private final Policy policy;
    private final Call call;
    /** {@code null} where the operations depend on the call, whose id identifies its permits. */
    private final List<LimitOperation> operations;
    private final Map<String, Charge> byPlan;
    private volatile Charge last;
    private volatile Charge lastCosting;

    public Charge(Policy policy, Call call) {
        this.policy = policy;
        this.call = policy.countWhen().areFew() || policy.mayWait() ? call.asRefundable() : call;
        this.operations = policy.has(Algorithm.CONCURRENCY) ? null : operations(this.call);
        this.byPlan = policy.plans().isEmpty() ? Map.of() : new ConcurrentHashMap<>();
    }

    public Policy policy() {
        return policy;
    }

    public Call call() {
        return call;
    }

    /** The same charge for another form of the policy. */
    public Charge with(Policy other) {
        if (other == policy) {
            return this;
        }
        Charge made = last;
        if (made == null || made.policy != other && !made.policy.equals(other)) {
            made = new Charge(other, call);
            last = made;
        }
        return made;
    }

    /** The same charge by the limits of a plan. Only plans that are configured are few, so only their charges are kept. */
    public Charge with(Plan plan) {
        if (plan.name() == null) {
            return new Charge(policy.with(plan), call);
        }
        Charge made = byPlan.get(plan.name());
        if (made == null) {
            made = new Charge(policy.with(plan), call);
            byPlan.put(plan.name(), made);
        }
        return made;
    }

    /** The same charge at another cost. */
    public Charge costing(long cost) {
        if (cost == call.cost()) {
            return this;
        }
        Charge made = lastCosting;
        if (made == null || made.call.cost() != cost) {
            Call costing = new Call(cost, call.kind(), call.id());
            made = new Charge(policy, call.refundable() ? costing.asRefundable() : costing);
            lastCosting = made;
        }
        return made;
    }

    /** What is left of this charge after a part of its cost, and with it the call, was charged; {@code null} for nothing. */
    public Charge after(long charged) {
        if (charged == 0) {
            return this;
        }
        Charge rest = call.cost() <= charged ? null : costing(call.cost() - charged);
        if (rest == null || policy.countsCostOnly()) {
            return rest;
        }
        Policy cost = policy.withoutCallCounts();
        return cost.limits().isEmpty() ? null : rest.with(cost);
    }

    /** The same charge for calls of which a part is usually refunded. */
    public Charge refundable() {
        return call.refundable() ? this : new Charge(policy, call.asRefundable());
    }

    /**
     * Creates the policy's part of a request.
     *
     * @param caller the stored form of the caller's key
     * @param id identifies the call among all others
     */
    public PolicyRequest request(String caller, long id) {
        return new PolicyRequest(policy, call, caller, operations == null ? operations(call.withId(id)) : operations);
    }

    private List<LimitOperation> operations(Call call) {
        List<LimitOperation> operations = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            operations.add(new LimitOperation(limit.name(), limit.rule().acquire(limit.charged(call))));
        }
        if (policy.penalty() != null && call.kind() != OperationKind.CHARGE) {
            operations.add(new LimitOperation(LimitOperation.PENALTY,
                    policy.penalty().apply(call.kind(), policy.limits().size())));
        }
        return List.copyOf(operations);
    }
}
