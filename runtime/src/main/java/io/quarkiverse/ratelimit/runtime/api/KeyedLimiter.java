package io.quarkiverse.ratelimit.runtime.api;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.admin.Administration;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.smallrye.mutiny.Uni;

/** Applies a policy to one caller: that of a key, which is prepared once, or that of the current request. */
final class KeyedLimiter implements ReactiveRateLimiter {

    private final PolicyOperations operations;
    private final LimiterCharges charges;
    private final CodeCalls calls;
    private final Administration administration;
    private final Supplier<CountedCaller> caller;

    /** @param caller returns the caller of an operation that is called now */
    KeyedLimiter(PolicyOperations operations, Supplier<CountedCaller> caller) {
        this.operations = operations;
        this.charges = operations.charges();
        this.calls = operations.parts().calls();
        this.administration = operations.parts().administration();
        this.caller = caller;
    }

    @Override
    public KeyedLimiter forKey(String... values) {
        return operations.limiter(operations.keys().read(values));
    }

    @Override
    public KeyedLimiter forCaller() {
        operations.keys().requireInRequest();
        CurrentCaller.of(operations).required();
        return new KeyedLimiter(operations, () -> CurrentCaller.of(operations));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost) {
        return operations.decide(caller.get(), cost, inForce -> charges.acquire(inForce, cost));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost, Duration maxWait) {
        return operations.decide(caller.get(), cost, inForce -> {
            Arguments.time("maxWait", maxWait, Duration.ZERO);
            return charges.acquire(inForce, cost);
        }, (charge, storedKey, deadline) -> calls.decide(charge, storedKey, Arguments.time("maxWait", maxWait, Duration.ZERO),
                deadline));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquireUpTo(long cost) {
        return operations.decide(caller.get(), cost, inForce -> charges.acquireUpTo(inForce, cost));
    }

    @Override
    public Uni<RateLimitDecision> acquireOrThrow() {
        return acquireOrThrow(1);
    }

    @Override
    public Uni<RateLimitDecision> acquireOrThrow(long cost) {
        return tryAcquire(cost).invoke(decision -> {
            if (!decision.allowed()) {
                throw RateLimitException.of(decision);
            }
        });
    }

    @Override
    public Uni<RateLimitDecision> peek() {
        return operations.decide(caller.get(), 0, charges::peek,
                (charge, storedKey, deadline) -> calls.decideQuietly(charge.get(), storedKey, deadline));
    }

    @Override
    public Uni<RateLimitDecision> charge(long cost) {
        return operations.decide(caller.get(), cost, inForce -> charges.charge(inForce, cost));
    }

    @Override
    public Uni<Void> refund(RateLimitDecision earlier) {
        return keepOnEventLoop(() -> {
            Arguments.required("the decision to refund", earlier);
            String policy = operations.policy().name();
            if (!earlier.policy().equals(policy)) {
                throw new IllegalArgumentException("A decision of policy " + earlier.policy()
                        + " cannot be refunded by the limiter of policy " + policy + ". Use the limiter that decided.");
            }
            if (!(earlier instanceof Decision decision)) {
                throw new IllegalArgumentException("A " + earlier.getClass().getName()
                        + " cannot be refunded. Pass the decision that a limiter returned.");
            }
            return operations.parts().refunds().refund(decision, decision.granted());
        });
    }

    @Override
    public Uni<ReactiveRateLimitReservation> reserve(long estimate) {
        return operations.reservations().reserve(caller.get(), estimate);
    }

    @Override
    public Reservation reservation(String id) {
        return operations.reservations().reservation(id);
    }

    @Override
    public Uni<Void> reset() {
        return withKey(key -> administration.reset(operations.policy(), key));
    }

    @Override
    public Uni<Void> block(Duration time) {
        return withKey(key -> {
            Duration block = Arguments.time("The time of a block", time, Limit.MIN_PERIOD);
            return operations.enabled() ? administration.block(operations.policy(), key, block)
                    : Uni.createFrom().voidItem();
        });
    }

    @Override
    public Uni<Void> unblock() {
        return withKey(key -> administration.unblock(operations.policy(), key));
    }

    /** A caller without a key is not counted, so there is nothing to change. */
    private Uni<Void> withKey(Function<String, Uni<Void>> change) {
        CountedCaller changed = caller.get();
        return keepOnEventLoop(() -> changed.key().onItem().ifNotNull().transformToUni(change::apply));
    }
}
