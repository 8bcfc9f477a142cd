package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.smallrye.mutiny.Uni;

/** Applies plans and overrides to the limits of policies. */
public record LimitsInForce(BeanResolvers resolvers, Overrides overrides) {

    /**
     * The charge by the limits in force. An override for the caller's key comes first, then the plan, then an override for all
     * callers, then the policy's own limits. Charges by configured plans are kept.
     *
     * @param plan {@code null} for none
     * @param key empty for all callers
     * @return {@code null} where the policy does not limit the caller
     */
    public Charge charge(Charge charge, String key, Plan plan) {
        Charge inForce = charge.with(overrides.forAll(charge.policy));
        if (plan != null && !plan.unlimited()) {
            inForce = inForce.with(plan);
        }
        Policy own = overrides.forKey(inForce.policy, key);
        return plan != null && plan.unlimited() && own == inForce.policy ? null : inForce.with(own);
    }

    /** The policy with the limits in force, see {@link #charge}. */
    public Policy inForce(Policy policy, Plan plan, String key) {
        Charge inForce = charge(new Charge(policy, PermitRequest.PEEK), key, plan);
        return inForce == null ? null : inForce.policy;
    }

    /** Finds the plan of a caller whose key comes from code. A {@code null} item stands for the policy's own limits. */
    public Uni<Plan> plan(Policy policy, Caller caller, PassedKey key) {
        return policy.plans().bean() == null ? Uni.createFrom().item(policy.plans().planOf(caller))
                : resolvers.plan(policy, caller, key);
    }

    /** Finds the limits in force for a caller outside of a request, where only beans know plans. */
    public Uni<List<PolicyLimit>> limits(Policy policy, PassedKey key) {
        Uni<Plan> plan = policy.plans().bean() == null ? Uni.createFrom().nullItem() : resolvers.shownPlan(policy, key);
        return plan.map(known -> {
            Policy applied = inForce(policy, known, key.stored());
            return applied == null ? List.of() : applied.limits();
        });
    }
}
