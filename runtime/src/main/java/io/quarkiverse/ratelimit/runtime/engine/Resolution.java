package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.smallrye.mutiny.Uni;

/** Says for every policy of a guard whom it counts, and by which numbers. */
final class Resolution {

    /** In place of a key, of which none looks like this. */
    private static final String EXEMPT = "exempt";

    private final Resolvers resolvers;
    private final Overrides overrides;

    Resolution(Resolvers resolvers, Overrides overrides) {
        this.resolvers = resolvers;
        this.overrides = overrides;
    }

    /**
     * What is asked for a call.
     *
     * @param asked of every policy that counts the call
     * @param refusing the policy that refuses as it cannot tell who is calling, or {@code null}
     * @param exempt those that do not limit the caller
     */
    record Resolved(List<Asked> asked, Charge refusing, List<Policy> exempt) {
    }

    /** The call with what the application's beans say of it, where the guard asks any. */
    Uni<CallDetails> withBeans(Guard guard, CallDetails call) {
        return resolvers.ask(call, null, guard.keyBeans(), guard.planBeans());
    }

    Resolved of(Guard guard, CallDetails call) {
        List<Asked> all = new ArrayList<>(guard.charges().size());
        List<Policy> exempt = List.of();
        for (Charge charge : guard.charges()) {
            Policy policy = charge.policy();
            if (policy.exempt().apply(call.caller())) {
                exempt = exempt(exempt, policy, guard, call.caller());
                continue;
            }
            KeyTemplate template = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
            String key = template.resolve(call, policy.missingKey());
            if (key == null) {
                if (policy.missingKey() == MissingKey.DENY && policy.mode() == Mode.ENFORCE) {
                    return new Resolved(List.of(), charge, exempt);
                }
                continue;
            }
            Charge rest = guard.ofRequests() ? rest(charge, call.caller(), key) : charge;
            if (rest == null) {
                continue;
            }
            Charge due = inForce(rest, key, policy.plans().of(call));
            if (due != null) {
                all.add(new Asked(due, key));
            } else {
                exempt = exempt(exempt, policy, guard, call.caller());
            }
        }
        return new Resolved(all, null, exempt);
    }

    /** One more that does not limit the caller, unless that was so for a route that the request has met. */
    private static List<Policy> exempt(List<Policy> others, Policy policy, Guard guard, Caller caller) {
        if (guard.ofRequests()) {
            if (caller.charged(policy.name(), EXEMPT) > 0) {
                return others;
            }
            caller.charge(policy.name(), EXEMPT, 1);
        }
        List<Policy> exempt = new ArrayList<>(others);
        exempt.add(policy);
        return exempt;
    }

    /** What is left to charge after the routes that the request has met; {@code null} for nothing. */
    private static Charge rest(Charge charge, Caller caller, String key) {
        long rest = charge.call().cost() - caller.charged(charge.policy().name(), key);
        return rest > 0 ? charge.costing(rest) : null;
    }

    /** The charge by the numbers in force for this caller, {@code null} where it is not limited. */
    private Charge inForce(Charge charge, String key, Plan plan) {
        Charge now = charge.with(overrides.forAll(charge.policy()));
        if (plan != null && !plan.unlimited()) {
            now = now.with(plan);
        }
        Policy own = overrides.forCaller(now.policy(), key);
        return own == now.policy() && plan != null && plan.unlimited() ? null : now.with(own);
    }

    /**
     * The policy with the limits in force: an override for the caller's key, else the plan's, else an override for all, else
     * its own; {@code null} where the caller is not limited.
     *
     * @param plan {@code null} where there is none
     * @param key {@code null} for everybody
     */
    Policy inForce(Policy policy, Plan plan, String key) {
        Policy now = overrides.forAll(policy);
        if (plan != null && !plan.unlimited()) {
            now = now.with(plan);
        }
        Policy own = key == null ? now : overrides.forCaller(now, key);
        return own == now && plan != null && plan.unlimited() ? null : own;
    }

    /** The plan of a caller whose key code gives, an item of {@code null} for the policy's own numbers. */
    Uni<Plan> plan(Policy policy, Caller caller, CallerKey key) {
        CallDetails call = new CallDetails(caller, null);
        String bean = policy.plans().bean();
        return bean == null ? Uni.createFrom().item(policy.plans().of(call))
                : resolvers.ask(call, key, Set.of(), Set.of(bean)).map(policy.plans()::of);
    }
}
