package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.BeanResolvers;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited methods and requests of routes: resolves their keys and limits. A {@link Decider} then decides
 * them, or {@link DelayedCalls} if they may be delayed or refunded.
 *
 * @param ids of calls
 * @param timeout of a decision
 * @param source where calls are counted
 */
public record Engine(BeanResolvers resolvers, Overrides overrides, LongSupplier ids, Decider decider, DelayedCalls delayed,
        Observers observers, Duration timeout, Source source) {

    /**
     * Decides a call of a limited method or a request of a route, without blocking. The outcome arrives when the call may go
     * ahead or is denied, perhaps on an event loop that is not the caller's. The lease of the outcome must be released when
     * the call ends. The deadline begins now, so each call needs its own {@code Uni}.
     *
     * @param keyArguments the arguments of the call that belong to the key
     */
    public Uni<Outcome> decide(CallRules rules, Caller caller, Object[] keyArguments) {
        Observers ofCall = observers.ofThisCall();
        CallDetails details = new CallDetails(caller, rules.method().id(), keyArguments, Map.of());
        Deadline deadline = Deadline.in(timeout);
        return rules.usesBeans()
                ? resolvers.results(rules, details)
                        .chain(known -> decide(resolve(rules, known.details(), known.plans()), deadline, ofCall))
                : decide(resolve(rules, details, Map.of()), deadline, ofCall);
    }

    /**
     * Resolves the key and the limits of a call for each of its charges. Charges nothing: the store does that when it decides.
     *
     * @param plans the plans that beans returned, by the name of the policy
     */
    private Call resolve(CallRules rules, CallDetails details, Map<String, Plan> plans) {
        Call call = new Call(ids.getAsLong());
        for (Charge charge : rules.charges()) {
            if (charge.differsByCaller && charge.policy.exempts(details)) {
                exempt(charge.policy, rules, details.caller(), call);
                continue;
            }
            String key = charge.keyOf(details);
            if (key == null) {
                if (charge.policy.deniesMissingKey()) {
                    return call.deniedWithoutKey(charge.policy);
                }
                continue;
            }
            // a route may have charged this request already; ReferenceMistakes ensures that both have the same cost
            if (rules.mayShareRequest() && details.caller().isCharged(charge.policy.name(), key)) {
                continue;
            }
            Charge inForce = charge.differsByCaller || !overrides.areEmpty() ? inForce(charge, key, details, plans) : charge;
            if (inForce == null) {
                exempt(charge.policy, rules, details.caller(), call);
            } else {
                call.add(inForce, key);
            }
        }
        return call;
    }

    /** The charge under the plan and the overrides of the caller; {@code null} if its plan is unlimited. */
    private Charge inForce(Charge charge, String key, CallDetails details, Map<String, Plan> plans) {
        PlanTable table = charge.policy.plans();
        Plan plan = table.bean() == null ? table.planOf(details.caller()) : plans.get(charge.policy.name());
        return overrides.charge(charge, key, plan);
    }

    /** Adds a policy that does not limit the caller to the call, unless it was already added for this request. */
    private static void exempt(Policy policy, CallRules rules, Caller caller, Call call) {
        if (!rules.mayShareRequest() || caller.recordExemption(policy.name())) {
            call.exempt().add(policy);
        }
    }

    private Uni<Outcome> decide(Call call, Deadline deadline, Observers ofCall) {
        if (call.charges().isEmpty()) {
            Outcome uncounted = call.denyingPolicy() == null ? Outcome.NOT_LIMITED : withoutKey(call.denyingPolicy());
            return ofCall.notifying(PlainUni.item(uncounted), call.exempt());
        }
        return call.isPlain() ? decider.decide(call, deadline, ofCall)
                : PlainUni.map(decideRefundable(call, deadline, ofCall), Outcome::afterDelay);
    }

    private Uni<Outcome> decideRefundable(Call call, Deadline deadline, Observers ofCall) {
        return ofCall.notifying(delayed.decideOrRefund(call, deadline), call.exempt());
    }

    /** The outcome for a caller that a policy denies as its key is missing. */
    public Outcome withoutKey(Policy policy) {
        return new Outcome(List.of(Decision.uncounted(policy, "", 0, source, DenialReason.MISSING_KEY)));
    }

    /** Decides a call of code. The states of its limits are those before its delay, if any. */
    Uni<Outcome> decideOfCode(Call call, Deadline deadline, Observers ofCall) {
        return call.isPlain() ? decider.decide(call, deadline, ofCall) : decideRefundable(call, deadline, ofCall);
    }

    public boolean mayDelay(CallRules rules) {
        return rules.mayDelay() || overrides.mayDelay();
    }
}
