package io.quarkiverse.ratelimit.runtime.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Prepares variants of a charge, for calls with a plan, an override or another cost, and keeps those that recur. */
final class ChargeVariants {

    private final Charge own;
    /** Only plans that are configured are few, so only their charges are kept. */
    private final Map<String, Charge> byPlan = new ConcurrentHashMap<>();
    private volatile Charge last;
    private volatile Charge lastCosting;

    ChargeVariants(Charge own) {
        this.own = own;
    }

    Charge with(Policy other) {
        Charge made = last;
        if (made == null || made.policy() != other && !made.policy().equals(other)) {
            made = new Charge(other, own.requested());
            last = made;
        }
        return made;
    }

    Charge with(Plan plan) {
        if (plan.name() == null) {
            return new Charge(own.policy().with(plan), own.requested());
        }
        Charge made = byPlan.get(plan.name());
        if (made == null) {
            made = new Charge(own.policy().with(plan), own.requested());
            byPlan.put(plan.name(), made);
        }
        return made;
    }

    Charge costing(long cost) {
        Charge made = lastCosting;
        if (made == null || made.requested().cost() != cost) {
            PermitRequest costing = new PermitRequest(cost, own.requested().kind(), own.requested().id());
            made = new Charge(own.policy(), own.requested().refundable() ? costing.asRefundable() : costing);
            lastCosting = made;
        }
        return made;
    }
}
