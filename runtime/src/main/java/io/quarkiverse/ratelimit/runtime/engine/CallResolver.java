package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.CallIds;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers.KnownCall;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Resolves the key and the limits of a call for each policy of its rules. */
public final class CallResolver {

    private final BeanResolvers resolvers;
    private final LimitsInForce limits;
    private final Overrides overrides;
    private final CallIds ids;

    public CallResolver(BeanResolvers resolvers, Overrides overrides, CallIds ids) {
        this.resolvers = resolvers;
        this.limits = new LimitsInForce(resolvers, overrides);
        this.overrides = overrides;
        this.ids = ids;
    }

    /**
     * What a call is to be charged, once a store decides it.
     *
     * @param counted contains each policy that counts the call
     * @param denying the policy that denies the call as the key is missing, or {@code null}
     * @param exempt the policies that do not limit the caller
     */
    record Resolved(Call counted, Policy denying, List<Policy> exempt) {
    }

    /** Whether a call of a limited method may be delayed. */
    boolean mayDelay(CallRules rules) {
        return rules.mayDelay() || overrides.mayDelay();
    }

    /** Adds the results of the application's resolver beans to the call, where the rules use any. */
    Uni<KnownCall> withBeans(CallRules rules, CallDetails call) {
        return resolvers.results(rules, call);
    }

    /**
     * Resolves a call for each of its charges. Charges nothing: the store does that when it decides the request.
     *
     * @param plans the plans that beans returned, by the name of the policy
     */
    Resolved of(CallRules rules, CallDetails call, Map<String, Plan> plans) {
        Call counted = new Call(ids.next());
        List<Policy> exempt = List.of();
        for (Charge charge : rules.charges()) {
            Policy policy = charge.policy();
            if (charge.differsByCaller() && policy.exempt().apply(call.caller())) {
                exempt = exempt(exempt, policy, rules, call.caller());
                continue;
            }
            String key = policy.keyOf(call);
            if (key == null) {
                if (policy.missingKey() == MissingKey.DENY && policy.mode() == Mode.ENFORCE) {
                    return new Resolved(null, policy, exempt);
                }
                continue;
            }
            // a route of the same request may already have charged this key
            Charge rest = rules.areForRequests() ? charge.after(call.caller().recordedCost(policy.name(), key)) : charge;
            if (rest == null) {
                continue;
            }
            Charge due = rest;
            if (charge.differsByCaller() || !overrides.areEmpty()) {
                Plan plan = policy.plans().bean() == null ? policy.plans().of(call.caller()) : plans.get(policy.name());
                due = limits.charge(rest, key, plan);
            }
            if (due != null) {
                counted.add(due, key);
            } else {
                // the plan is unlimited
                exempt = exempt(exempt, policy, rules, call.caller());
            }
        }
        if (rules.areForRoutes()) {
            // the method then charges only the rest
            counted.policies().forEach(
                    due -> call.caller().recordCost(due.policy().name(), due.key(), due.requested().cost()));
        }
        return new Resolved(counted, null, exempt);
    }

    /** Adds a policy that does not limit the caller, unless it was already added for this request. */
    private static List<Policy> exempt(List<Policy> others, Policy policy, CallRules rules, Caller caller) {
        if (rules.areForRequests() && !caller.recordExemption(policy.name())) {
            return others;
        }
        List<Policy> exempt = new ArrayList<>(others);
        exempt.add(policy);
        return exempt;
    }
}
