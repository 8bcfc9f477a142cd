package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.UncountedDecision;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/** Runs the operations on one policy that code can call; all limiters of the policy share it. */
final class PolicyOperations {

    private final Policy policy;
    private final PolicyKeys keys;
    private final boolean enabled;
    private final CodeCalls calls;
    private final Refunds refunds;
    private final LimitsInForce limits;
    private final Administration administration;
    private final RequestLookup requests;
    private final LimiterCharges charges;
    private final ReservationOperations reservations;
    private final BlockingLimiter limiter;

    /** @param keyArguments how many arguments limited methods append to the policy's key */
    PolicyOperations(Policy policy, int keyArguments, LimiterParts parts) {
        this.policy = policy;
        this.keys = new PolicyKeys(policy, keyArguments, new AddressForm(parts.settings().ipv6Prefix()));
        this.enabled = parts.settings().enabled() && policy.enabled();
        this.calls = parts.calls();
        this.refunds = parts.refunds();
        this.limits = parts.limits();
        this.administration = parts.administration();
        this.requests = parts.requests();
        this.charges = new LimiterCharges(policy);
        this.reservations = new ReservationOperations(this, parts);
        this.limiter = new BlockingLimiter(new KeyedLimiter(this, keys.initial()));
    }

    Policy policy() {
        return policy;
    }

    boolean enabled() {
        return enabled;
    }

    PolicyKeys keys() {
        return keys;
    }

    ReservationOperations reservations() {
        return reservations;
    }

    Uni<RateLimitDecision> acquire(PassedKey key, long cost) {
        return decided(key, cost, (now, stored) -> deciding(charges.acquire(now.get(), cost), stored));
    }

    Uni<RateLimitDecision> acquire(PassedKey key, long cost, Duration maxWait) {
        return decided(key, cost, (now, stored) -> {
            Duration wait = Arguments.time("maxWait", maxWait, Duration.ZERO);
            charges.acquire(now.get(), cost);
            return deadline -> calls.decide(() -> charges.acquire(now.get(), cost), stored, wait, deadline);
        });
    }

    Uni<RateLimitDecision> acquireUpTo(PassedKey key, long cost) {
        return decided(key, cost, (now, stored) -> deciding(charges.acquireUpTo(now.get(), cost), stored));
    }

    Uni<RateLimitDecision> peek(PassedKey key) {
        return decided(key, 0, (now, stored) -> deadline -> calls.decideQuietly(charges.peek(now.get()), stored, deadline));
    }

    Uni<RateLimitDecision> charge(PassedKey key, long cost) {
        return decided(key, cost, (now, stored) -> deciding(charges.charge(now.get(), cost), stored));
    }

    Uni<Void> refund(RateLimitDecision earlier) {
        return CallerContext.keepOnEventLoop(() -> {
            Arguments.required("the decision to refund", earlier);
            if (!earlier.policy().equals(policy.name())) {
                throw new IllegalArgumentException("A decision of policy " + earlier.policy()
                        + " cannot be refunded by the limiter of policy " + policy.name() + ". Use the limiter that decided.");
            }
            if (!(earlier instanceof Decision decision)) {
                throw new IllegalArgumentException("A " + earlier.getClass().getName()
                        + " cannot be refunded. Pass the decision that a limiter returned.");
            }
            return refunds.refund(decision, decision.granted());
        });
    }

    Uni<Void> reset(PassedKey key) {
        return administration.reset(policy, keys.required(key).stored());
    }

    Uni<Void> block(PassedKey key, Duration time) {
        String stored = keys.required(key).stored();
        Duration block = Arguments.time("The time of a block", time, Limit.MIN_PERIOD);
        return enabled ? administration.block(policy, stored, block) : Uni.createFrom().voidItem();
    }

    Uni<Void> unblock(PassedKey key) {
        return administration.unblock(policy, keys.required(key).stored());
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param decide checks the arguments, and returns what decides until a deadline by the policy in force and the stored form
     *        of the caller's key
     */
    private Uni<RateLimitDecision> decided(PassedKey key, long cost,
            BiFunction<Supplier<Policy>, String, Function<Deadline, Uni<Outcome>>> decide) {
        Supplier<Uni<? extends RateLimitDecision>> decision = () -> PlainUni.map(
                planned(keys.required(key), (plan, deadline) -> outcome(plan, key.stored(), cost, decide, deadline)),
                outcome -> decision(outcome, key, cost));
        // a plan's resolver gets the contexts of this caller, wherever the Uni is subscribed
        return policy.plans().isEmpty() ? CallerContext.switchingToEventLoop(decision)
                : CallerContext.keepOnEventLoop(decision);
    }

    private Function<Deadline, Uni<Outcome>> deciding(Charge charge, String key) {
        return deadline -> calls.decide(charge, key, deadline);
    }

    private Uni<Outcome> outcome(Plan plan, String key, long cost,
            BiFunction<Supplier<Policy>, String, Function<Deadline, Uni<Outcome>>> decide, Deadline deadline) {
        Policy inForce = limits.inForce(policy, plan, key);
        Function<Deadline, Uni<Outcome>> decision = decide.apply(() -> inForce(plan, key), key);
        if (enabled && inForce != null) {
            return decision.apply(deadline);
        }
        if (enabled && cost > 0) {
            calls.exempt(policy);
        }
        return Uni.createFrom().item(Outcome.NOT_LIMITED);
    }

    /**
     * The policy in force for the caller. Where an unlimited plan no longer has an override, the policy's own limits
     * apply.
     */
    private Policy inForce(Plan plan, String key) {
        Policy inForce = limits.inForce(policy, plan, key);
        return inForce == null ? policy : inForce;
    }

    /** Finds the plan, and decides with it. The deadline includes resolver beans, but not the authentication of the caller. */
    <T> Uni<T> planned(PassedKey key, BiFunction<Plan, Deadline, Uni<T>> decided) {
        return policy.plans().isEmpty() ? decided.apply(null, calls.deadline())
                : requests.current().callerFor(policy.plans()).chain(caller -> {
                    Deadline deadline = calls.deadline();
                    return limits.plan(policy, caller, key).chain(plan -> decided.apply(plan, deadline));
                });
    }

    /** The limiter before code passes a key. */
    BlockingLimiter limiter() {
        return limiter;
    }

    /** Throws the exception for a denied decision. */
    static void throwIfDenied(RateLimitDecision decision) {
        if (!decision.allowed()) {
            throw RateLimitException.of(decision);
        }
    }

    /** The decision for the caller; a policy in shadow mode allows every call. */
    Decision decision(Outcome outcome, PassedKey key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0);
        }
        if (outcome.shadows().isEmpty()) {
            // also empty: the outcome of a shadow policy, which is not counted while Redis is unavailable
            return UncountedDecision.allowed(policy, key.stored(), cost,
                    outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK);
        }
        return outcome.shadows().get(0).inShadow();
    }
}
