package io.quarkiverse.ratelimit.runtime.api;

import static java.util.Objects.requireNonNullElse;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.api.CountedCaller.Resolved;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Decides calls of code by one policy; all limiters of the policy share it. */
final class PolicyOperations {

    final Policy policy;
    final PolicyLimiters.Parts parts;
    final boolean enabled;
    final PassedKey.Reader keys;
    /** The limiter before code passes a key. */
    final BlockingLimiter limiter;
    /** The rules of a request, by which its caller is found. */
    final CallRules rules;
    /** The charge of most calls: one permit, by the policy's own limits. */
    private final Charge one;

    /** @param keyArguments how many arguments limited methods append to the policy's key */
    PolicyOperations(Policy policy, int keyArguments, PolicyLimiters.Parts parts) {
        this.policy = policy;
        this.parts = parts;
        this.enabled = parts.settings().enabled() && policy.enabled();
        this.keys = new PassedKey.Reader(policy.name(), policy.key(), policy.normalize(), keyArguments,
                new AddressForm(parts.settings().ipv6Prefix()));
        this.one = new Charge(policy, PermitRequest.of(1));
        this.limiter = new BlockingLimiter(limiter(keys.initial()));
        this.rules = CallRules.of(CallRules.ROUTES, List.of(new Charge(policy, PermitRequest.PEEK)));
    }

    /** @param key {@code null} until code passes a key to a policy that needs one */
    KeyedLimiter limiter(PassedKey key) {
        CountedCaller caller = new CountedCaller.Passed(this, key);
        return new KeyedLimiter(this, () -> caller);
    }

    Uni<RateLimitDecision> decide(CountedCaller caller, long cost, OperationKind kind) {
        return decide(caller, cost, inForce -> charge(inForce, cost, kind),
                (charge, resolved) -> parts.calls().decide(charge.get(), resolved.key(), resolved.deadline()));
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param charge the charge by a policy; checks the arguments, also where the policy does not limit the caller
     * @param attempt decides a call that is limited; gets a supplier of the charge by the policy in force
     */
    Uni<RateLimitDecision> decide(CountedCaller caller, long cost, Function<Policy, Charge> charge,
            BiFunction<Supplier<Charge>, Resolved, Uni<Outcome>> attempt) {
        Supplier<Uni<? extends RateLimitDecision>> decision = () -> caller.resolve(resolved -> {
            if (inForce(resolved) != null) {
                // the policy's own limits apply if an override of an unlimited plan is removed while the call waits
                Supplier<Charge> current = () -> charge.apply(requireNonNullElse(inForce(resolved), policy));
                return PlainUni.map(attempt.apply(current, resolved), outcome -> decision(outcome, resolved.key(), cost));
            }
            charge.apply(policy);
            return PlainUni.item(uncounted(resolved, cost));
        });
        return caller.needsContexts() ? CallerContext.keepOnEventLoop(decision)
                : CallerContext.switchingToEventLoop(decision);
    }

    /** The charge of a call by the policy in force. Each limit must grant as much as the others. */
    Charge charge(Policy inForce, long cost, OperationKind kind) {
        if (kind == OperationKind.ACQUIRE_UP_TO && !inForce.countsCostOnly()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " has a limit with counts=calls, which has no"
                    + " part of a call. Use tryAcquire with the cost.");
        }
        if (inForce.holdsPermits()) {
            throw new UnsupportedOperationException("Policy " + inForce.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return cost == 1 && kind == OperationKind.ACQUIRE && inForce == policy ? one
                : new Charge(inForce, new PermitRequest(Arguments.cost(cost), kind, 0));
    }

    /** The policy in force for a caller; {@code null} where it does not count the caller. */
    Policy inForce(Resolved caller) {
        Charge inForce = !enabled || caller.exempt() || caller.key() == null ? null
                : parts.calls().engine().overrides().charge(one, caller.key(), caller.plan());
        return inForce == null ? null : inForce.policy;
    }

    /** Decides for a caller that the policy does not count: it is denied if it lacks a key that it needs. */
    Decision uncounted(Resolved caller, long cost) {
        boolean lacksKey = caller.key() == null && !caller.exempt();
        Outcome outcome = enabled && lacksKey && policy.deniesMissingKey() ? parts.calls().engine().withoutKey(policy)
                : Outcome.NOT_LIMITED;
        if (enabled && cost > 0) {
            parts.calls().uncounted(outcome, lacksKey ? List.of() : List.of(policy));
        }
        return decision(outcome, caller.key() == null ? "" : caller.key(), cost);
    }

    /** The decision for the caller; a policy in shadow mode allows every call. */
    Decision decision(Outcome outcome, String key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0);
        }
        if (outcome.shadows().isEmpty()) {
            // also empty: the outcome of a shadow policy, which is not counted while Redis is unavailable
            return Decision.uncounted(policy, key, cost,
                    outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK, null);
        }
        return outcome.shadows().get(0).inShadow();
    }
}
