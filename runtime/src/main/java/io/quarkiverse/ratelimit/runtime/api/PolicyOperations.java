package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.caller.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.CallerKey;
import io.quarkiverse.ratelimit.runtime.caller.GivenKey;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.LimitsInForce;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.Refunds;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.smallrye.mutiny.Uni;

/** Runs the operations on one policy that code can call; all limiters of the policy share it. */
final class PolicyOperations {

    static final Call PEEK = new Call(1, OperationKind.PEEK, 0);

    private final Policy policy;
    private final int keyArguments;
    private final boolean enabled;
    private final Engine engine;
    private final Refunds refunds;
    private final LimitsInForce limits;
    private final Administration administration;
    private final RequestLookup requests;
    private final AddressForm addresses;
    private final Charge one;
    private final Reservations reservations;
    private final BlockingLimiter limiter;

    /** @param keyArguments how many arguments limited methods append to the policy's key */
    PolicyOperations(Policy policy, int keyArguments, LimiterParts parts) {
        this.policy = policy;
        this.keyArguments = keyArguments;
        this.enabled = parts.settings().enabled() && policy.enabled();
        this.engine = parts.engine();
        this.refunds = parts.refunds();
        this.limits = parts.limits();
        this.administration = parts.administration();
        this.requests = parts.requests();
        this.addresses = new AddressForm(parts.settings().ipv6Prefix());
        this.one = new Charge(policy, Call.of(1));
        this.reservations = new Reservations(this, parts);
        this.limiter = new BlockingLimiter(
                new KeyedLimiter(this, policy.key() == KeyTemplate.GLOBAL ? key(List.of()) : null));
    }

    Policy policy() {
        return policy;
    }

    boolean enabled() {
        return enabled;
    }

    Reservations reservations() {
        return reservations;
    }

    Uni<RateLimitDecision> acquire(CallerKey key, long cost) {
        return decided(key, cost, (now, caller) -> engine.decide(take(now.get(), cost), caller));
    }

    Uni<RateLimitDecision> acquire(CallerKey key, long cost, Duration maxWait) {
        return decided(key, cost, (now, caller) -> engine.decide(() -> take(now.get(), cost), caller,
                inRange("maxWait", maxWait, Duration.ZERO)));
    }

    Uni<RateLimitDecision> acquireUpTo(CallerKey key, long cost) {
        return decided(key, cost,
                (now, caller) -> engine.decide(counted(leveled(now.get()), cost, OperationKind.ACQUIRE_UP_TO), caller));
    }

    Uni<RateLimitDecision> peek(CallerKey key) {
        return decided(key, 0,
                (now, caller) -> engine.decideQuietly(new Charge(now.get(), PEEK),
                        caller));
    }

    Uni<RateLimitDecision> charge(CallerKey key, long cost) {
        return decided(key, cost, (now, caller) -> engine.decide(counted(now.get(), cost, OperationKind.CHARGE), caller));
    }

    Uni<Void> refund(RateLimitDecision taken) {
        return CallerContext.keepOnEventLoop(() -> {
            required("the decision to refund", taken);
            if (!taken.policy().equals(policy.name()) || !(taken instanceof Decision decision)) {
                throw new IllegalArgumentException("A decision of policy " + taken.policy()
                        + " cannot be refunded by the limiter of policy " + policy.name() + ". Use the limiter that decided.");
            }
            return refunds.refund(decision, decision.granted());
        });
    }

    Uni<Void> reset(CallerKey key) {
        return administration.reset(policy, required(key).stored());
    }

    Uni<Void> block(CallerKey key, Duration time) {
        String caller = required(key).stored();
        Duration block = inRange("The time of a block", time, Limit.MIN_PERIOD);
        return enabled ? administration.block(policy, caller, block) : Uni.createFrom().voidItem();
    }

    Uni<Void> unblock(CallerKey key) {
        return administration.unblock(policy, required(key).stored());
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param decide decides by the policy in force and the stored form of the caller's key
     */
    private Uni<RateLimitDecision> decided(CallerKey key, long cost,
            BiFunction<Supplier<Policy>, String, Uni<Outcome>> decide) {
        Supplier<Uni<? extends RateLimitDecision>> decision = () -> PlainUni.map(
                planned(required(key), plan -> outcome(plan, key.stored(), cost, decide)),
                outcome -> decision(outcome, key, cost));
        // a plan's resolver gets the contexts of this caller, wherever the Uni is subscribed
        return policy.plans().isEmpty() ? CallerContext.switchingToEventLoop(decision)
                : CallerContext.keepOnEventLoop(decision);
    }

    private Uni<Outcome> outcome(Plan plan, String caller, long cost,
            BiFunction<Supplier<Policy>, String, Uni<Outcome>> decide) {
        Policy now = limits.of(policy, plan, caller);
        Uni<Outcome> outcome = decide.apply(() -> inForce(plan, caller), caller);
        if (enabled && now != null) {
            return outcome;
        }
        if (enabled && cost > 0) {
            engine.exempt(policy);
        }
        return Uni.createFrom().item(Outcome.NOT_LIMITED);
    }

    /**
     * The policy in force for the caller. Where an unlimited plan no longer has an override, the policy's own limits
     * apply.
     */
    private Policy inForce(Plan plan, String caller) {
        Policy now = limits.of(policy, plan, caller);
        return now == null ? policy : now;
    }

    <T> Uni<T> planned(CallerKey key, Function<Plan, Uni<T>> decided) {
        return policy.plans().isEmpty() ? decided.apply(null)
                : requests.current().caller(policy.plans().needsIdentity())
                        .chain(caller -> limits.plan(policy, caller, key)).chain(decided::apply);
    }

    private Charge take(Policy now, long cost) {
        return cost == 1 && now == policy && !now.has(Algorithm.CONCURRENCY) ? one : counted(now, cost, OperationKind.ACQUIRE);
    }

    private Charge counted(Policy now, long cost, OperationKind kind) {
        if (now.has(Algorithm.CONCURRENCY)) {
            throw new UnsupportedOperationException("Policy " + policy.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return new Charge(now, new Call(inRange(cost), kind, 0));
    }

    /** @throws IllegalArgumentException when a value is null, or their number does not match the policy's key */
    CallerKey key(List<String> given) {
        required("the key of policy " + policy.name(), given)
                .forEach(value -> required("each value of the key of policy " + policy.name(), value));
        List<String> values = List.copyOf(given);
        if (policy.key() == null && keyArguments == 0) {
            if (values.isEmpty()) {
                throw new IllegalArgumentException(
                        "Policy " + policy.name() + " has no key. Give forKey(...) at least one value.");
            }
            return new CallerKey(values, GivenKey.of(values));
        }
        KeyTemplate template = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
        return new CallerKey(values, GivenKey.of(template, values, keyArguments, addresses));
    }

    /** @throws IllegalArgumentException when no caller can have this key */
    CallerKey possibleKey(List<String> values) {
        CallerKey key = key(values);
        if (policy.key() != null) {
            GivenKey.requirePossible(policy.key(), key.values(), addresses);
        }
        return key;
    }

    /** @throws IllegalArgumentException when no key of the policy has this stored form */
    CallerKey storedKey(String stored) {
        GivenKey.requireStored(policy.key(), stored, keyArguments, addresses);
        return new CallerKey(null, stored);
    }

    /** The limiter before code gives a key. */
    BlockingLimiter limiter() {
        return limiter;
    }

    CallerKey required(CallerKey key) {
        if (key == null) {
            throw new IllegalArgumentException("Policy " + policy.name() + " counts per caller"
                    + (policy.key() == null ? "" : " (key=" + policy.key() + ")") + ". Call forKey(...) first.");
        }
        return key;
    }

    /** Throws the exception for a denied decision. */
    static void throwIfDenied(RateLimitDecision decision) {
        if (!decision.allowed()) {
            throw Outcome.denial(decision);
        }
    }

    /** The decision for the caller; a policy in shadow mode allows every call. */
    Decision decision(Outcome outcome, CallerKey key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0);
        }
        if (outcome.shadows().isEmpty()) {
            // also empty: the outcome of a shadow policy, which is not counted while Redis is unavailable
            return uncounted(key.stored(), cost, outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK);
        }
        return outcome.shadows().get(0).inShadow();
    }

    Decision uncounted(String caller, long cost, Source source) {
        PolicyLimit first = policy.limits().get(0);
        return new Decision(policy, first.name(), caller, true, first.limit().burst(), first.limit().burst(), cost,
                Duration.ZERO, Duration.ZERO, Duration.ZERO, source, List.of(), null, Instant.EPOCH, 0, null);
    }

    /** Each limit must grant as much as the others. */
    private static Policy leveled(Policy now) {
        if (!now.countsCostOnly()) {
            throw new UnsupportedOperationException("Policy " + now.name() + " has a limit with counts=calls, which has no"
                    + " part of a call. Use tryAcquire with the cost.");
        }
        return now;
    }

    /** @throws IllegalArgumentException when the value is null */
    static <T> T required(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required, but is null");
        }
        return value;
    }

    static long inRange(long cost) {
        if (cost < 1 || cost > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("cost must be 1 to 1000000000, but is " + cost);
        }
        return cost;
    }

    private static Duration inRange(String name, Duration time, Duration least) {
        required(name, time);
        if (time.compareTo(least) < 0 || time.compareTo(Limit.MAX_PERIOD) > 0) {
            throw new IllegalArgumentException(name + " must be " + (least.isZero() ? "zero" : least.toMillis() + " ms")
                    + " to 366 days, but is " + time);
        }
        return time.truncatedTo(ChronoUnit.MICROS);
    }
}
