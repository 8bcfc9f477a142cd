package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.caller.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.CallerKey;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.CallersQuestion;
import io.quarkiverse.ratelimit.runtime.engine.Decision;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.smallrye.mutiny.Uni;

/** Runs the operations on one policy that code can call; all limiters of the policy share it. */
final class PolicyOperations {

    private final Policy policy;
    private final int keyArguments;
    private final boolean enabled;
    private final Engine engine;
    private final RequestLookup requests;
    private final AddressForm addresses;
    private final int replicas;
    private final Charge one;
    private final String instance;
    private final BlockingLimiter limiter;

    /**
     * @param keyArguments how many arguments limited methods append to the policy's key
     * @param requests finds the request in which a limiter is called; its caller may have a plan
     */
    PolicyOperations(Policy policy, int keyArguments, Engine engine, RequestLookup requests, Settings settings) {
        this.policy = policy;
        this.keyArguments = keyArguments;
        this.enabled = settings.enabled() && policy.enabled();
        this.engine = engine;
        this.requests = requests;
        this.addresses = new AddressForm(settings.ipv6Prefix());
        this.replicas = settings.replicas();
        this.one = new Charge(policy, Call.of(1), replicas);
        this.instance = engine.instance();
        this.limiter = new BlockingLimiter(
                new KeyedLimiter(this, policy.key() == KeyTemplate.GLOBAL ? key(List.of()) : null));
    }

    Policy policy() {
        return policy;
    }

    Uni<RateLimitDecision> acquire(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(take(now.get(), cost), caller));
    }

    Uni<RateLimitDecision> acquire(CallerKey key, long cost, Duration maxWait) {
        return asked(key, cost, (now, caller) -> engine.decide(() -> take(now.get(), cost), caller, inRange(maxWait)));
    }

    Uni<RateLimitDecision> acquireUpTo(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(counted(leveled(now.get()), cost, OperationKind.UP_TO), caller));
    }

    Uni<RateLimitDecision> peek(CallerKey key) {
        return asked(key, 0, (now, caller) -> engine.peek(now.get(), caller, replicas));
    }

    Uni<RateLimitDecision> charge(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(counted(now.get(), cost, OperationKind.CHARGE), caller));
    }

    Uni<ReactiveRateLimitReservation> reserve(CallerKey key, long estimate) {
        return Uni.createFrom().<ReactiveRateLimitReservation> deferred(() -> {
            AtomicReference<Reservation> made = new AtomicReference<>();
            AtomicBoolean cancelled = new AtomicBoolean();
            return CallerContext.keepOnEventLoop(() -> reserved(key, estimate, cancelled::get).invoke(reservation -> {
                made.set(reservation);
                if (cancelled.get()) {
                    cancel(reservation);
                }
            }))
                    .onCancellation().invoke(() -> {
                        cancelled.set(true);
                        cancel(made.get());
                    });
        });
    }

    /** @param cancelled whether the subscriber has canceled */
    private Uni<Reservation> reserved(CallerKey key, long estimate, BooleanSupplier cancelled) {
        Call call = Call.of(inRange(estimate)).asRefundable();
        String caller = required(key).stored();
        return planned(key, plan -> {
            Policy now = enabled ? engine.inForce(policy, plan, caller) : null;
            if (now == null) {
                if (enabled) {
                    engine.exempt(policy);
                }
                return Uni.createFrom()
                        .item(new Reservation(this, policy, uncounted(caller, estimate, Source.NOT_LIMITED), Lease.NONE,
                                false));
            }
            return engine.decide(new Charge(holdable(now, estimate), call, replicas), caller)
                    .map(outcome -> {
                        outcome.lease().hold(cancelled);
                        return new Reservation(this, now, decision(outcome, key, estimate), outcome.lease(), false);
                    });
        });
    }

    /** A reservation that was made earlier, perhaps on another instance. */
    Reservation reservation(String id) {
        ReservationId reserved = ReservationId.read(id, policy.name());
        Decision decision = reserved.decision();
        boolean inRedis = decision.source() == Source.REDIS;
        Policy applied = inRedis ? policy.withLimits(decision.limits().stream()
                .map(limit -> new PolicyLimit(limit.limit(), limit.definition())).toList()) : policy;
        Reservation reservation = new Reservation(this, applied, decision, engine.leaseOf(decision), true);
        return inRedis || reserved.instance().equals(instance) ? reservation
                : reservation.ofAnotherMemory();
    }

    /** Ends a reservation, and returns whether no instance has ended it before. */
    Uni<Boolean> end(Decision reserved) {
        return reserved.source() == Source.REDIS ? engine.end(reserved) : Uni.createFrom().item(true);
    }

    /** Cancels a reservation that the subscriber did not receive, so that nobody else can end it. */
    private static void cancel(Reservation reservation) {
        if (reservation != null) {
            reservation.cancel().subscribe().with(ignored -> {
            }, ignored -> {
            });
        }
    }

    Uni<Void> refund(RateLimitDecision taken) {
        return CallerContext.keepOnEventLoop(() -> {
            if (!taken.policy().equals(policy.name()) || !(taken instanceof Decision decision)) {
                throw new IllegalArgumentException("A decision of policy " + taken.policy()
                        + " cannot be refunded by the limiter of policy " + policy.name() + ". Use the limiter that decided.");
            }
            return engine.refund(decision, decision.granted());
        });
    }

    Uni<Void> reset(CallerKey key) {
        return engine.reset(policy, required(key).stored());
    }

    /** Refunds what a reservation acquired. */
    Uni<Void> refund(Decision taken, long count) {
        return engine.refund(taken, count);
    }

    /**
     * Refunds or charges the difference between the reserved and the actual cost. Concurrency permits are released with
     * their lease.
     */
    Uni<RateLimitDecision> settle(Decision reserved, Policy applied, long actual) {
        Uni<Outcome> settled = !enabled || reserved.source() == Source.NOT_LIMITED ? Uni.createFrom().item(Outcome.NOT_LIMITED)
                : engine.settleCost(applied, reserved, actual, replicas);
        return settled.map(outcome -> decision(outcome, new CallerKey(List.of(), reserved.key()), actual).withGranted(actual));
    }

    /**
     * @param cost 0 for an operation that is not a call of its own
     * @param question decides by the policy in force and the stored form of the caller's key
     */
    private Uni<RateLimitDecision> asked(CallerKey key, long cost,
            BiFunction<Supplier<Policy>, String, Uni<Outcome>> question) {
        RequestUni asking = new RequestUni(key, cost, question);
        // a plan's resolver gets the contexts of this caller, wherever the Uni is subscribed
        return policy.plans().isEmpty() ? asking : CallerContext.keepOnEventLoop(() -> asking.ask().map(asking::told));
    }

    private final class RequestUni extends CallersQuestion<Outcome, RateLimitDecision> {

        private final CallerKey key;
        private final long cost;
        private final BiFunction<Supplier<Policy>, String, Uni<Outcome>> question;

        RequestUni(CallerKey key, long cost, BiFunction<Supplier<Policy>, String, Uni<Outcome>> question) {
            this.key = key;
            this.cost = cost;
            this.question = question;
        }

        @Override
        protected Uni<Outcome> ask() {
            return planned(required(key), plan -> ask(plan, key.stored()));
        }

        private Uni<Outcome> ask(Plan plan, String caller) {
            Policy now = engine.inForce(policy, plan, caller);
            Uni<Outcome> outcome = question.apply(() -> inForce(plan, caller), caller);
            if (enabled && now != null) {
                return outcome;
            }
            if (enabled && cost > 0) {
                engine.exempt(policy);
            }
            return Uni.createFrom().item(Outcome.NOT_LIMITED);
        }

        @Override
        protected Decision told(Outcome outcome) {
            return decision(outcome, key, cost);
        }
    }

    /**
     * The policy in force for the caller. Where an unlimited plan no longer has an override, the policy's own limits
     * apply.
     */
    private Policy inForce(Plan plan, String caller) {
        Policy now = engine.inForce(policy, plan, caller);
        return now == null ? policy : now;
    }

    private <T> Uni<T> planned(CallerKey key, Function<Plan, Uni<T>> decided) {
        return policy.plans().isEmpty() ? decided.apply(null)
                : requests.current().caller(policy.plans().needsIdentity())
                        .chain(caller -> engine.plan(policy, caller, key.values())).chain(decided::apply);
    }

    private Charge take(Policy now, long cost) {
        return cost == 1 && now == policy && !one.holdsPermits() ? one : counted(now, cost, OperationKind.TAKE);
    }

    private Charge counted(Policy now, long cost, OperationKind manner) {
        if (now.has(Algorithm.CONCURRENCY)) {
            throw new UnsupportedOperationException("Policy " + policy.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return new Charge(now, new Call(inRange(cost), manner, 0), replicas);
    }

    /** @throws IllegalArgumentException when the number of values does not match the policy's key */
    CallerKey key(List<String> values) {
        if (policy.key() == null && keyArguments == 0) {
            if (values.isEmpty()) {
                throw new IllegalArgumentException(
                        "Policy " + policy.name() + " has no key. Give forKey(...) at least one value.");
            }
            return new CallerKey(values, KeyTemplate.given(values));
        }
        KeyTemplate template = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
        return new CallerKey(values, template.of(values, keyArguments, addresses));
    }

    /** The limiter before code gives a key. */
    BlockingLimiter limiter() {
        return limiter;
    }

    /** Identifies this instance among all others. */
    String instance() {
        return instance;
    }

    private CallerKey required(CallerKey key) {
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
    private Decision decision(Outcome outcome, CallerKey key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0).decision();
        }
        if (outcome.shadows().isEmpty()) {
            // also empty: the outcome of a shadow policy, which is not counted while Redis is unavailable
            return uncounted(key.stored(), cost, outcome == Outcome.NOT_LIMITED ? Source.NOT_LIMITED : Source.FALLBACK);
        }
        return outcome.shadows().get(0).decision().inShadow();
    }

    private Decision uncounted(String caller, long cost, Source source) {
        PolicyLimit first = policy.limits().get(0);
        return new Decision(policy.name(), first.name(), caller, true, first.limit().burst(), first.limit().burst(), cost,
                Duration.ZERO, Duration.ZERO, Duration.ZERO, source, List.of(), null, Instant.EPOCH, 0);
    }

    /** Each limit must grant as much as the others. */
    private static Policy leveled(Policy now) {
        if (!now.countsCostOnly()) {
            throw new UnsupportedOperationException("Policy " + now.name() + " has a limit with counts=calls, which has no"
                    + " part of a call. Use tryAcquire with the cost.");
        }
        return now;
    }

    private static Policy holdable(Policy now, long cost) {
        if (cost > now.maxCost()) {
            throw new IllegalArgumentException("Policy " + now.name() + " limits concurrency, of which one call can hold 1 to "
                    + Limit.MAX_HELD_PERMITS + " permits, but the cost is " + cost
                    + ". If a call holds one permit, whatever it costs, set counts=calls on that limit.");
        }
        return now;
    }

    private static long inRange(long cost) {
        if (cost < 1 || cost > Limit.MAX_PERMITS) {
            throw new IllegalArgumentException("cost must be 1 to 1000000000, but is " + cost);
        }
        return cost;
    }

    private static Duration inRange(Duration maxWait) {
        if (maxWait.isNegative() || maxWait.compareTo(Limit.MAX_PERIOD) > 0) {
            throw new IllegalArgumentException("maxWait must be zero to 366 days, but is " + maxWait);
        }
        return maxWait.truncatedTo(ChronoUnit.MICROS);
    }
}
