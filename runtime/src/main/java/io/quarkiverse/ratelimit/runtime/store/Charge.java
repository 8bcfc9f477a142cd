package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Holds a policy and what it charges a call, with the store operations prepared. */
public final class Charge {

    private final Policy policy;
    private final Call call;
    private final int replicas;
    private final Charge local;
    /** {@code null} where the operations depend on the call, whose id identifies its permits. */
    private final List<LimitOperation> steps;
    private final Map<String, Charge> byPlan;
    private volatile Charge atOnce;
    private volatile Charge last;
    private volatile Charge lastCosting;

    /** @param replicas the number of instances that share the limits when each counts for itself */
    public Charge(Policy policy, Call call, int replicas) {
        this.policy = policy;
        this.call = policy.countWhen().areFew() || policy.mayWait() ? call.asRefundable() : call;
        this.replicas = replicas;
        this.local = replicas == 1 ? this : new Charge(policy.dividedBy(replicas), this.call, 1);
        this.steps = policy.has(Algorithm.CONCURRENCY) ? null : steps(this.call);
        this.byPlan = policy.plans().isEmpty() ? Map.of() : new ConcurrentHashMap<>();
    }

    public Policy policy() {
        return policy;
    }

    public Call call() {
        return call;
    }

    /** This charge where the instance counts for itself alone. */
    public Charge local() {
        return local;
    }

    /** Whether the call holds permits while it runs. */
    public boolean holdsPermits() {
        return steps == null;
    }

    /** Whether the cost is within the capacity of each limit. */
    public boolean isEverAllowed() {
        for (PolicyLimit limit : policy.limits()) {
            if (limit.charged(call.cost()) > limit.limit().burst()) {
                return false;
            }
        }
        return true;
    }

    /** The same charge for another form of the policy. */
    public Charge with(Policy other) {
        if (other == policy) {
            return this;
        }
        Charge made = last;
        if (made == null || made.policy != other) {
            made = new Charge(other, call, replicas);
            last = made;
        }
        return made;
    }

    /** The same charge by the limits of one of the policy's plans. */
    public Charge with(Plan plan) {
        Charge made = byPlan.get(plan.name());
        if (made == null) {
            made = new Charge(policy.with(plan), call, replicas);
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
            Call costing = new Call(cost, call.manner(), call.id());
            made = new Charge(policy, call.refundable() ? costing.asRefundable() : costing, replicas);
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

    /** The same charge without a delay: a call that would be delayed is denied. */
    public Charge atOnce() {
        if (atOnce == null) {
            atOnce = with(policy.withMaxWait(Duration.ZERO));
        }
        return atOnce;
    }

    /**
     * Creates the policy's part of a request.
     *
     * @param id identifies the call among all others
     */
    public PolicyRequest ask(String caller, long id) {
        return new PolicyRequest(policy.name(), policy.mode() == Mode.SHADOW, caller,
                holdsPermits() ? steps(call.withId(id)) : steps);
    }

    private List<LimitOperation> steps(Call call) {
        List<LimitOperation> steps = new ArrayList<>(policy.limits().size());
        for (PolicyLimit limit : policy.limits()) {
            steps.add(new LimitOperation(limit.name(), limit.rule().take(call)));
        }
        return List.copyOf(steps);
    }
}
