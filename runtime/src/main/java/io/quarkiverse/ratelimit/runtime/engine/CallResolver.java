package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Resolves the key and the limits of a call for each policy of its rules. */
public final class CallResolver {

    private final LimitsInForce limits;
    private final Overrides overrides;
    private final LongSupplier ids;

    public CallResolver(LimitsInForce limits, Overrides overrides, LongSupplier ids) {
        this.limits = limits;
        this.overrides = overrides;
        this.ids = ids;
    }

    /** Whether a call of a limited method may be delayed. */
    boolean mayDelay(CallRules rules) {
        return rules.mayDelay() || overrides.mayDelay();
    }

    /**
     * Resolves a call for each of its charges. Charges nothing: the store does that when it decides the call.
     *
     * @param plans the plans that beans returned, by the name of the policy
     */
    Call resolve(CallRules rules, CallDetails details, Map<String, Plan> plans) {
        Call call = new Call(ids.getAsLong());
        for (Charge charge : rules.charges()) {
            if (charge.differsByCaller() && charge.policy().exempts(details)) {
                exempt(charge.policy(), rules, details.caller(), call);
                continue;
            }
            String key = charge.keyOf(details);
            if (key == null) {
                if (charge.policy().deniesMissingKey()) {
                    return call.deniedWithoutKey(charge.policy());
                }
                continue;
            }
            // a route of the same request may have charged this key, at the same cost
            if (rules.mayShareRequest() && details.caller().isCharged(charge.policy().name(), key)) {
                continue;
            }
            Charge inForce = charge.differsByCaller() || !overrides.areEmpty() ? inForce(charge, key, details, plans) : charge;
            if (inForce == null) {
                exempt(charge.policy(), rules, details.caller(), call);
            } else {
                call.add(inForce, key);
            }
        }
        return call;
    }

    /** The charge by the plan and the overrides of the caller; {@code null} if its plan is unlimited. */
    private Charge inForce(Charge charge, String key, CallDetails details, Map<String, Plan> plans) {
        PlanTable table = charge.policy().plans();
        Plan plan = table.bean() == null ? table.planOf(details.caller()) : plans.get(charge.policy().name());
        return limits.charge(charge, key, plan);
    }

    /** Adds a policy that does not limit the caller, unless it was already added for this request. */
    private static void exempt(Policy policy, CallRules rules, Caller caller, Call call) {
        if (!rules.mayShareRequest() || caller.recordExemption(policy.name())) {
            call.exempt(policy);
        }
    }
}
