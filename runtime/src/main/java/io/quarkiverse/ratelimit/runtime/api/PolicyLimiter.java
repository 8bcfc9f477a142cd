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
import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.caller.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.CallersQuestion;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequests;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.smallrye.mutiny.Uni;

/** Asks one policy from code. */
final class PolicyLimiter implements RateLimiter {

    private final Policy policy;
    private final int keyArguments;
    private final boolean enabled;
    private final Engine engine;
    private final CurrentRequests requests;
    private final AddressForm addresses;
    private final int replicas;
    private final Charge one;

    /**
     * @param keyArguments how many arguments guarded methods append to the policy's key
     * @param requests in which the limiter is asked, whose callers have plans
     */
    PolicyLimiter(Policy policy, int keyArguments, Engine engine, CurrentRequests requests, Settings settings) {
        this.policy = policy;
        this.keyArguments = keyArguments;
        this.enabled = settings.enabled() && policy.enabled();
        this.engine = engine;
        this.requests = requests;
        this.addresses = new AddressForm(settings.ipv6Prefix());
        this.replicas = settings.replicas();
        this.one = new Charge(policy, Call.of(1), replicas);
    }

    Policy policy() {
        return policy;
    }

    @Override
    public Uni<RateLimitDecision> acquire(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(take(now.get(), cost), caller));
    }

    @Override
    public Uni<RateLimitDecision> acquire(CallerKey key, long cost, Duration maxWait) {
        return asked(key, cost, (now, caller) -> engine.decide(() -> take(now.get(), cost), caller, inRange(maxWait)));
    }

    @Override
    public Uni<RateLimitDecision> acquireUpTo(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(counted(now.get(), cost, Manner.UP_TO), caller));
    }

    @Override
    public Uni<RateLimitDecision> peek(CallerKey key) {
        return asked(key, 0,
                (now, caller) -> engine.decideQuietly(new Charge(now.get(), new Call(1, Manner.PEEK, 0), replicas), caller));
    }

    @Override
    public Uni<RateLimitDecision> charge(CallerKey key, long cost) {
        return asked(key, cost, (now, caller) -> engine.decide(counted(now.get(), cost, Manner.CHARGE), caller));
    }

    @Override
    public Uni<RateLimitReservation> reserve(CallerKey key, long estimate) {
        return Uni.createFrom().deferred(() -> {
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

    /** @param cancelled whether nobody waits for it any more */
    private Uni<Reservation> reserved(CallerKey key, long estimate, BooleanSupplier cancelled) {
        Call call = Call.of(inRange(estimate)).asRefundable();
        String caller = caller(key);
        return planned(key, plan -> {
            Policy now = enabled ? engine.inForce(policy, plan, caller) : null;
            if (now == null) {
                if (enabled) {
                    engine.exempt(policy);
                }
                return Uni.createFrom().item(
                        new Reservation(this, key, uncounted(caller, estimate, Source.NOT_LIMITED), Lease.NONE, cancelled));
            }
            return engine.decide(new Charge(holdable(now, estimate), call, replicas), caller)
                    .map(outcome -> new Reservation(this, key, decision(outcome, key, estimate), outcome.lease(), cancelled));
        });
    }

    /** Nobody has got it, so nobody else will end it. */
    private static void cancel(Reservation reservation) {
        if (reservation != null) {
            reservation.cancel().subscribe().with(ignored -> {
            }, ignored -> {
            });
        }
    }

    @Override
    public Uni<Void> refund(RateLimitDecision taken) {
        return refund(taken, taken.granted());
    }

    @Override
    public Uni<Void> reset(CallerKey key) {
        return CallerContext.keepOnEventLoop(() -> engine.reset(policy, caller(key)));
    }

    /** Gives back a part of what a decision took. */
    Uni<Void> refund(RateLimitDecision taken, long count) {
        return CallerContext.keepOnEventLoop(() -> {
            if (!taken.policy().equals(policy.name())) {
                throw new IllegalArgumentException("A decision of policy " + taken.policy()
                        + " cannot be refunded by the limiter of policy " + policy.name() + ". Ask the limiter that decided.");
            }
            return engine.giveBack(taken, count);
        });
    }

    /** Charges what runs, besides its concurrency, which is given back with its lease. */
    Uni<RateLimitDecision> chargeMore(CallerKey key, long cost) {
        return asked(key, 0, (now, caller) -> {
            Policy counted = now.get().without(Algorithm.CONCURRENCY);
            return engine
                    .decideQuietly(counted.limits().isEmpty() ? new Charge(now.get(), new Call(1, Manner.PEEK, 0), replicas)
                            : new Charge(counted, new Call(inRange(cost), Manner.CHARGE, 0).asRefundable(), replicas), caller);
        });
    }

    /**
     * @param cost 0 for what is no call of its own
     * @param question of the policy as it is at the moment, and the stored form of the caller's key
     */
    private Uni<RateLimitDecision> asked(CallerKey key, long cost,
            BiFunction<Supplier<Policy>, String, Uni<Outcome>> question) {
        Asking asking = new Asking(key, cost, question);
        // who tells a caller's plan has the contexts of who asks, wherever that subscribes
        return policy.plans().isEmpty() ? asking : CallerContext.keepOnEventLoop(() -> asking.ask().map(asking::told));
    }

    private final class Asking extends CallersQuestion<Outcome, RateLimitDecision> {

        private final CallerKey key;
        private final long cost;
        private final BiFunction<Supplier<Policy>, String, Uni<Outcome>> question;

        Asking(CallerKey key, long cost, BiFunction<Supplier<Policy>, String, Uni<Outcome>> question) {
            this.key = key;
            this.cost = cost;
            this.question = question;
        }

        @Override
        protected Uni<Outcome> ask() {
            String caller = caller(key);
            return planned(key, plan -> ask(plan, caller));
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
            return Uni.createFrom().item(Outcome.UNGUARDED);
        }

        @Override
        protected RateLimitDecision told(Outcome outcome) {
            return decision(outcome, key, cost);
        }
    }

    /** The policy by the caller's plan; where that is unlimited, but was overridden a moment ago, by its own numbers. */
    private Policy inForce(Plan plan, String caller) {
        Policy now = engine.inForce(policy, plan, caller);
        return now == null ? policy : now;
    }

    private <T> Uni<T> planned(CallerKey key, Function<Plan, Uni<T>> decided) {
        return policy.plans().isEmpty() ? decided.apply(null)
                : requests.current().caller(policy.plans().needsIdentity())
                        .chain(caller -> engine.plan(policy, caller, key)).chain(decided::apply);
    }

    private Charge take(Policy now, long cost) {
        return cost == 1 && now == policy && !one.holdsPermits() ? one : counted(now, cost, Manner.TAKE);
    }

    private Charge counted(Policy now, long cost, Manner manner) {
        if (now.has(Algorithm.CONCURRENCY)) {
            throw new UnsupportedOperationException("Policy " + policy.name() + " limits concurrency: permits are held while"
                    + " work runs. Use reserve, and cancel or settle when the work has ended, or @RateLimited.");
        }
        return new Charge(now, new Call(inRange(cost), manner, 0), replicas);
    }

    /** The stored form of a caller's key. */
    String caller(CallerKey key) {
        if (policy.key() == null && keyArguments == 0) {
            return KeyTemplate.given(key.values());
        }
        KeyTemplate template = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
        return template.of(key.values(), keyArguments, addresses);
    }

    /** What was decided; a policy in shadow mode admits everything. */
    private RateLimitDecision decision(Outcome outcome, CallerKey key, long cost) {
        if (!outcome.decisions().isEmpty()) {
            return outcome.decisions().get(0).decision();
        }
        if (outcome.shadows().isEmpty()) {
            // nothing else is undecided, but shadow policies that do not count while Redis is away
            return uncounted(caller(key), cost, outcome == Outcome.UNGUARDED ? Source.NOT_LIMITED : Source.FALLBACK);
        }
        RateLimitDecision d = outcome.shadows().get(0).decision();
        return new RateLimitDecision(d.policy(), d.limit(), d.key(), true, d.permits(), d.remaining(), d.granted(),
                Duration.ZERO, Duration.ZERO, d.resetAfter(), d.source(), d.limits(), d.decidedAt(), d.id());
    }

    private RateLimitDecision uncounted(String caller, long cost, Source source) {
        PolicyLimit first = policy.limits().get(0);
        return new RateLimitDecision(policy.name(), first.name(), caller, true, first.limit().burst(), first.limit().burst(),
                cost, Duration.ZERO, Duration.ZERO, Duration.ZERO, source, List.of(), Instant.EPOCH, 0);
    }

    private static Policy holdable(Policy now, long cost) {
        if (cost > Limit.MAX_HELD_PERMITS && now.has(Algorithm.CONCURRENCY)) {
            throw new IllegalArgumentException("Policy " + now.name() + " limits concurrency, of which one call can hold 1 to "
                    + Limit.MAX_HELD_PERMITS + " permits, but the cost is " + cost);
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
