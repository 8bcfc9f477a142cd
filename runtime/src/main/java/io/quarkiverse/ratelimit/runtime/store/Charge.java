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
    private final boolean differsByCaller, mayWait, holdsPermits, repeatsDenials;
    /** {@code null} where the operations depend on the call, whose id identifies its permits. */
    private final List<LimitOperation> operations;
    private final Map<String, Charge> byPlan;
    private volatile Charge last;
    private volatile Charge lastCosting;

    public Charge(Policy policy, Call call) {
        this(policy, policy.countWhen().areFew() || policy.mayWait() ? call.asRefundable() : call, null);
    }

    /** @param operations on the limits; {@code null} to acquire what the call requests */
    Charge(Policy policy, Call call, List<LimitOperation> operations) {
        this.policy = policy;
        this.call = call;
        this.differsByCaller = !policy.exempt().areNone() || !policy.plans().isEmpty();
        this.mayWait = policy.mayWait();
        this.holdsPermits = policy.has(Algorithm.CONCURRENCY);
        this.repeatsDenials = call.kind() == OperationKind.ACQUIRE && policy.repeatsDenials();
        this.operations = operations != null || holdsPermits ? operations : operations(call);
        this.byPlan = policy.plans().isEmpty() ? Map.of() : new ConcurrentHashMap<>();
    }

    public Policy policy() {
        return policy;
    }

    public Call call() {
        return call;
    }

    /** Whether exemptions or plans make a difference between callers. */
    public boolean differsByCaller() {
        return differsByCaller;
    }

    /** Whether a call may be delayed. */
    public boolean mayWait() {
        return mayWait;
    }

    /** Whether a call holds permits while it runs. */
    public boolean holdsPermits() {
        return holdsPermits;
    }

    /** Whether this instance may repeat denials of the same call without a request to Redis. */
    public boolean repeatsDenials() {
        return repeatsDenials;
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
        return new PolicyRequest(this, caller, operations == null ? operations(call.withId(id)) : operations);
    }

    private List<LimitOperation> operations(Call call) {
        List<LimitOperation> operations = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            Call charged = limit.charged(call);
            operations.add(new LimitOperation(limit.name(), charged, limit.rule().acquire(charged)));
        }
        if (policy.penalty() != null && call.kind() != OperationKind.CHARGE) {
            operations.add(new LimitOperation(LimitOperation.PENALTY,
                    policy.penalty().apply(call.kind(), policy.limits().size())));
        }
        return List.copyOf(operations);
    }
}
