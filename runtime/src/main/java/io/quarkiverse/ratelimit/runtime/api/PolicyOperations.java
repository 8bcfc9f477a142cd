package io.quarkiverse.ratelimit.runtime.api;

import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/** Decides calls of code by one policy; all limiters of the policy share it. */
final class PolicyOperations {

    private final Policy policy;
    private final PolicyLimiters.Parts parts;
    private final boolean enabled;
    private final PassedKey.Reader keys;
    private final LimiterCharges charges;
    private final ReservationOperations reservations;
    private final BlockingLimiter limiter;

    /** @param keyArguments how many arguments limited methods append to the policy's key */
    PolicyOperations(Policy policy, int keyArguments, PolicyLimiters.Parts parts) {
        this.policy = policy;
        this.parts = parts;
        this.enabled = parts.settings().enabled() && policy.enabled();
        this.keys = new PassedKey.Reader(policy.name(), policy.key(), policy.normalize(), keyArguments,
                new AddressForm(parts.settings().ipv6Prefix()));
        this.charges = new LimiterCharges(policy);
        this.reservations = new ReservationOperations(this);
        this.limiter = new BlockingLimiter(new KeyedLimiter(this, keys.initial()));
    }

    Policy policy() {
        return policy;
    }

    PolicyLimiters.Parts parts() {
        return parts;
    }

    boolean enabled() {
        return enabled;
    }

    PassedKey.Reader keys() {
        return keys;
    }

    LimiterCharges charges() {
        return charges;
    }

    ReservationOperations reservations() {
        return reservations;
    }

    /** The limiter before code passes a key. */
    BlockingLimiter limiter() {
        return limiter;
    }

    /** Decides a call that is limited. */
    interface Attempt {

        /** @param charge returns the charge by the policy in force */
        Uni<Outcome> decide(Supplier<Charge> charge, String key, Deadline deadline);
    }

    /** Decides a call at once. */
    Uni<RateLimitDecision> decide(PassedKey key, long cost, Function<Policy, Charge> charge) {
        return decide(key, cost, charge,
                (current, storedKey, deadline) -> parts.calls().decide(current.get(), storedKey, deadline));
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param charge the charge by a policy; checks the arguments, also where the policy does not limit the caller
     */
    Uni<RateLimitDecision> decide(PassedKey key, long cost, Function<Policy, Charge> charge, Attempt attempt) {
        Supplier<Uni<? extends RateLimitDecision>> decision = () -> {
            String storedKey = keys.required(key).stored();
            return PlainUni.map(planned(key, (plan, deadline) -> limits(key) && inForce(plan, storedKey) != null
                    ? attempt.decide(() -> charge.apply(limiting(plan, storedKey)), storedKey, deadline)
                    : notLimited(charge, cost)), outcome -> decision(outcome, storedKey, cost));
        };
        // a plan's resolver gets the contexts of this caller, wherever the Uni is subscribed
        return policy.plans().isEmpty() ? CallerContext.switchingToEventLoop(decision)
                : CallerContext.keepOnEventLoop(decision);
    }

    private Uni<Outcome> notLimited(Function<Policy, Charge> charge, long cost) {
        charge.apply(policy);
        if (enabled && cost > 0) {
            parts.calls().exempt(policy);
        }
        return Uni.createFrom().item(Outcome.NOT_LIMITED);
    }

    /** Whether the policy is enabled, and limits callers with this key. */
    boolean limits(PassedKey key) {
        return enabled && !policy.exempts(key);
    }

    /** The policy in force for a caller; {@code null} where its plan is unlimited. */
    Policy inForce(Plan plan, String key) {
        return parts.limits().inForce(policy, plan, key);
    }

    /** Where an unlimited plan no longer has an override while a call waits, the policy's own limits apply. */
    private Policy limiting(Plan plan, String key) {
        Policy inForce = inForce(plan, key);
        return inForce == null ? policy : inForce;
    }

    /** Finds the plan, and decides with it. The deadline includes resolver beans, but not the authentication of the caller. */
    <T> Uni<T> planned(PassedKey key, BiFunction<Plan, Deadline, Uni<T>> decided) {
        return policy.plans().isEmpty() ? decided.apply(null, parts.calls().deadline())
                : parts.requests().current().callerFor(policy.plans()).chain(caller -> {
                    Deadline deadline = parts.calls().deadline();
                    return parts.limits().plan(policy, caller, key).chain(plan -> decided.apply(plan, deadline));
                });
    }

    /** The decision for the caller; a policy in shadow mode allows every call. */
    Decision decision(Outcome outcome, String key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0);
        }
        if (outcome.shadows().isEmpty()) {
            // also empty: the outcome of a shadow policy, which is not counted while Redis is unavailable
            return UncountedDecision.allowed(policy, key, cost,
                    outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK);
        }
        return outcome.shadows().get(0).inShadow();
    }
}
