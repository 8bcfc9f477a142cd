package io.quarkiverse.ratelimit.runtime.entry.code;

import static java.util.Objects.requireNonNullElse;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.OverflowChain;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.entry.code.LimiterCaller.Resolved;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.smallrye.mutiny.Uni;

/** Decides calls of code by one policy; all limiters of the policy share it. */
final class PolicyOperations {

    final Policy policy;
    final Parts parts;
    final boolean enabled;
    final PassedKey.Reader keys;
    /** The overflows of the policy that are enabled, in the order in which they are asked. */
    final List<PolicyOperations> overflows;
    /** Rules of a request, by which its caller is found. */
    final CallRules rules;
    /** Rules by which the caller is found whose overflows are asked, after code has passed the key of the policy. */
    final CallRules rulesOfOverflows;
    /** Charge of most calls: one permit, by the policy's own limits. */
    private final Charge one;

    /**
     * Holds what the limiters of all policies share.
     *
     * @param instance identifies this instance among all others
     * @param checksum of the ids of reservations
     * @param requests finds the request in which a limiter is called; its caller may have a plan
     */
    record Parts(Settings settings, CodeCalls calls, Administration administration, Pauses pauses, String instance,
            IdChecksum checksum, Leases leases, RequestLookup requests) {
        Engine engine() {
            return calls.engine();
        }
    }

    /**
     * @param keyArguments how many arguments limited methods append to the policy's key
     * @param passedOn how many values code passes after those of the parts, also only for overflows
     */
    PolicyOperations(Policy policy, int keyArguments, int passedOn, List<PolicyOperations> overflows, Parts parts) {
        this.policy = policy;
        this.overflows = overflows;
        this.parts = parts;
        this.enabled = parts.settings().enabled() && policy.enabled();
        this.keys = new PassedKey.Reader(policy.name(), policy.key(), policy.normalize(), keyArguments, passedOn,
                new AddressForm(parts.settings().ipv6Prefix()));
        this.one = new Charge(policy, PermitRequest.of(1));
        this.rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.PEEK)),
                Map.of(policy.name(), overflows.stream().map(overflow -> new Charge(overflow.policy, PermitRequest.PEEK))
                        .toList()));
        this.rulesOfOverflows = rulesOfOverflows();
    }

    /** The parts of the policy's own key need neither beans nor an authenticated caller, because code passes them. */
    private CallRules rulesOfOverflows() {
        List<KeyTemplate> others = overflows.stream().map(overflow -> overflow.policy.key()).filter(Objects::nonNull)
                .map(key -> key.without(policy.key())).toList();
        boolean needsIdentity = others.stream().anyMatch(KeyTemplate::needsIdentity)
                || overflows.stream().anyMatch(overflow -> overflow.policy.plans().needsIdentity());
        Set<String> beans = others.stream().flatMap(key -> key.beans().stream()).collect(Collectors.toSet());
        return new CallRules(CallRules.ROUTES, List.of(), Map.of(), false, false, needsIdentity, !beans.isEmpty(), beans,
                List.of());
    }

    Uni<RateLimitDecision> decide(LimiterCaller caller, long cost, OperationKind kind) {
        return decide(caller, cost, inForce -> charge(inForce, cost, kind),
                (charge, resolved) -> parts.calls().decide(charge.get(), resolved.deadline()));
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param charge the charge by a policy; checks the arguments, also where the policy does not limit the caller
     * @param attempt decides a call that is limited; gets a supplier of the charges by the policies in force
     */
    Uni<RateLimitDecision> decide(LimiterCaller caller, long cost, Function<Policy, Charge> charge,
            BiFunction<Supplier<List<KeyedCharge>>, Resolved, Uni<Outcome>> attempt) {
        Supplier<Uni<? extends RateLimitDecision>> decision = () -> caller.resolve(resolved -> {
            if (inForce(resolved) != null) {
                // the policy's own limits apply if an override of an unlimited plan is removed while the call waits
                Supplier<List<KeyedCharge>> current = () -> charges(charge.apply(requireNonNullElse(inForce(resolved), policy)),
                        resolved);
                return PlainUni.map(attempt.apply(current, resolved), outcome -> decision(outcome, resolved.key(), cost));
            }
            charge.apply(policy);
            return PlainUni.item(uncounted(resolved, cost));
        });
        return caller.needsContexts() ? CallerContext.keepOnEventLoop(decision)
                : CallerContext.switchingToEventLoop(decision);
    }

    /** Returns the charge of a call by the policy in force. Each limit must grant as much as the others. */
    Charge charge(Policy inForce, long cost, OperationKind kind) {
        if (kind == OperationKind.ACQUIRE_UP_TO && !inForce.countsCostOnly()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " has a limit with counts=calls, which has no"
                    + " part of a call. Use tryAcquire with the cost.");
        }
        if (inForce.holdsPermits()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return charge(inForce, new PermitRequest(Arguments.cost(cost), kind, 0));
    }

    /** Returns the charges of a call: that of this policy, and those of the overflows that the call may reach. */
    List<KeyedCharge> charges(Charge charge, Resolved caller) {
        KeyedCharge first = new KeyedCharge(charge, caller.key());
        OperationKind kind = charge.requested().kind();
        if (overflows.isEmpty() || kind != OperationKind.ACQUIRE && kind != OperationKind.PEEK) {
            return List.of(first);
        }
        OverflowChain chain = new OverflowChain(first);
        for (int i = 0; i < overflows.size() && !chain.isComplete(); i++) {
            PolicyOperations overflow = overflows.get(i);
            Resolved resolved = caller.overflows().get(i);
            Policy inForce = overflow.inForce(resolved);
            // who is exempt needs no key
            chain.add(overflow.one, resolved.exempt() && resolved.key() == null ? "" : resolved.key(),
                    inForce == null ? null : overflow.charge(inForce, charge.requested()));
        }
        return chain.charges();
    }

    private Charge charge(Policy inForce, PermitRequest requested) {
        return inForce == policy && requested.equals(one.requested()) ? one : new Charge(inForce, requested);
    }

    /** Returns the policy in force for a caller; {@code null} where it does not count the caller. */
    Policy inForce(Resolved caller) {
        return !enabled || caller.exempt() || caller.key() == null ? null
                : parts.engine().overrides().inForce(policy, caller.plan(), caller.key());
    }

    /** Decides for a caller that the policy does not count: it is denied if it lacks a key that it needs. */
    Decision uncounted(Resolved caller, long cost) {
        boolean lacksKey = caller.key() == null && !caller.exempt();
        Outcome outcome = enabled && lacksKey && parts.engine().overrides().inMode(policy).deniesMissingKey()
                ? parts.engine().withoutKey(policy)
                : Outcome.NOT_LIMITED;
        if (enabled && cost > 0) {
            parts.engine().notifyUnlimited(outcome, lacksKey ? List.of() : List.of(policy));
        }
        return decision(outcome, caller.key() == null ? "" : caller.key(), cost);
    }

    /** Returns the decision for the caller; a policy in shadow mode allows every call. */
    Decision decision(Outcome outcome, String key, long cost) {
        Decision decision = outcome.ofCode();
        // none: also the outcome of a shadow policy, which is not counted while Redis is unavailable
        return decision != null ? decision
                : Decision.uncounted(policy, key, cost,
                        outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK, null);
    }
}
