package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.PreparedCharges;
import io.quarkiverse.ratelimit.runtime.engine.delay.DelayedCalls;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Entry of all calls: resolves their keys and limits, lets the chain decide them, and notifies observers of the outcome.
 * Nothing else notifies observers of decisions.
 *
 * @param ids of calls
 * @param plain decides calls that need nothing but their decision
 * @param full the whole chain, for calls that may be delayed, hold permits, or must be refunded when they are canceled
 * @param timeout of a decision
 * @param source where calls are counted
 */
public record Engine(BeanResolvers resolvers, Overrides overrides, PreparedCharges prepared, LongSupplier ids, Decider plain,
        DelayedCalls full, Observers observers, Duration timeout, Source source) {

    /**
     * Decides a call of a limited method or a request of a route, without blocking. The outcome arrives when the call may go
     * ahead or is denied, perhaps on an event loop that is not the caller's. The lease of the outcome must be released when
     * the call ends. The deadline begins now, so each call needs its own {@code Uni}.
     *
     * @param keyArguments the arguments of the call that belong to the key
     */
    public Uni<Outcome> decide(CallRules rules, Caller caller, List<KeyArgument> keyArguments) {
        Observers ofCall = observers.ofThisCall();
        CallDetails details = new CallDetails(caller, rules.method().id(), keyArguments, Map.of());
        Deadline deadline = Deadline.in(timeout);
        return rules.usesBeans()
                ? resolvers.results(rules, details)
                        .chain(known -> decide(rules, known.details(), known.plans(), deadline, ofCall))
                : decide(rules, details, Map.of(), deadline, ofCall);
    }

    /** @param plans the plans that beans returned, by the name of the policy */
    private Uni<Outcome> decide(CallRules rules, CallDetails details, Map<String, Plan> plans, Deadline deadline,
            Observers ofCall) {
        List<KeyedCharge> charges = new ArrayList<>(1);
        List<Policy> exempt = new ArrayList<>(0);
        for (Charge charge : rules.charges()) {
            Policy policy = charge.policy();
            if (charge.differsByCaller() && policy.exempts(details)) {
                addExempt(policy, rules, details.caller(), exempt);
                continue;
            }
            String key = charge.keyOf(details);
            if (key == null) {
                if (overrides.inMode(policy).deniesMissingKey()) {
                    return PlainUni.item(ofCall.notifyOf(withoutKey(policy), exempt));
                }
                continue;
            }
            // a route may have charged this request already; ReferenceMistakes ensures that both have the same cost
            if (rules.mayShareRequest() && details.caller().isCharged(policy.name(), key)) {
                continue;
            }
            Charge inForce = charge.differsByCaller() || !overrides.areEmpty() ? variant(charge, key, details, plans) : charge;
            if (inForce == null) {
                addExempt(policy, rules, details.caller(), exempt);
            } else {
                charges.add(new KeyedCharge(inForce, key, null));
                if (!rules.overflows().isEmpty()) {
                    addOverflows(rules, charges, details, plans);
                }
            }
        }
        if (charges.isEmpty()) {
            return PlainUni.item(ofCall.notifyOf(Outcome.NOT_LIMITED, exempt));
        }
        Call call = new Call(ids.getAsLong(), charges, deadline);
        return call.isPlain() ? PlainUni.map(plain.decide(call), outcome -> ofCall.notifyOf(outcome, exempt))
                : PlainUni.map(full.decide(call), outcome -> ofCall.notifyOf(outcome, exempt).afterDelay());
    }

    /** Adds the charges of the overflows of the last policy, if it may not be the only one that is asked. */
    private void addOverflows(CallRules rules, List<KeyedCharge> charges, CallDetails details, Map<String, Plan> plans) {
        KeyedCharge first = charges.remove(charges.size() - 1);
        OverflowChain chain = new OverflowChain(first);
        for (Charge overflow : rules.overflows().getOrDefault(first.policy().name(), List.of())) {
            CallDetails ofOverflow = details.forOverflow(overflow.policy().key(), first.policy().name());
            if (chain.isComplete()) {
                break;
            } else if (overflow.policy().exempts(ofOverflow)) {
                chain.add(overflow, "", null);
            } else {
                String key = overflow.keyOf(ofOverflow);
                chain.add(overflow, key, key == null ? null : variant(overflow, key, ofOverflow, plans));
            }
        }
        charges.addAll(chain.charges());
    }

    /** Returns the charge under the plan and the overrides of the caller; {@code null} if its plan is unlimited. */
    private Charge variant(Charge charge, String key, CallDetails details, Map<String, Plan> plans) {
        PlanTable table = charge.policy().plans();
        Plan plan = table.bean() == null ? table.planOf(details.caller()) : plans.get(charge.policy().name());
        Policy inForce = overrides.inForce(charge.policy(), plan, key);
        if (inForce == null) {
            return null;
        }
        if (inForce == charge.policy()) {
            return charge;
        }
        // numbers of a bean may differ with each call
        return plan != null && plan.name() == null ? new Charge(inForce, charge.requested())
                : prepared.charge(inForce, charge.requested());
    }

    /** Adds a policy that does not limit the caller, unless it was already added for this request. */
    private static void addExempt(Policy policy, CallRules rules, Caller caller, List<Policy> exempt) {
        if (!rules.mayShareRequest() || caller.recordExemption(policy.name())) {
            exempt.add(policy);
        }
    }

    /** Returns the outcome for a caller that a policy denies as its key is missing. */
    public Outcome withoutKey(Policy policy) {
        return new Outcome(List.of(Decision.uncounted(policy, "", 0, source, DenialReason.MISSING_KEY)));
    }

    /** Decides without notifying observers. The states of the limits are those before the delay of the call, if any. */
    Uni<Outcome> decideQuietly(Call call) {
        return call.isPlain() ? plain.decide(call) : full.decide(call);
    }

    /**
     * Notifies observers of a call of code, which begins now. If it is allowed, it counts at once, because it has no status.
     */
    Uni<Outcome> notifying(Uni<Outcome> outcome) {
        Observers ofCall = observers.ofThisCall();
        return PlainUni.map(outcome, decided -> {
            ofCall.notifyOf(decided, List.of());
            observers.notifyCounted(decided);
            return decided;
        });
    }

    /**
     * Notifies observers of a call that no limit counts. The call begins now.
     *
     * @param exempt the policies that do not limit the caller
     */
    public void notifyUnlimited(Outcome outcome, List<Policy> exempt) {
        observers.ofThisCall().notifyOf(outcome, exempt);
    }

    /** Notifies observers of an allowed call that counts, as there is no response whose status could refund it. */
    public void notifyCounted(Outcome outcome) {
        observers.notifyCounted(outcome);
    }

    public boolean mayDelay(CallRules rules) {
        return rules.mayDelay() || overrides.mayDelay();
    }
}
