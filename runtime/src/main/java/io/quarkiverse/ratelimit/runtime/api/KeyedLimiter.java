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
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.smallrye.mutiny.Uni;

/**
 * Applies a policy to one caller: that of a key, which is prepared once, or that of the current request.
 *
 * @param caller returns the caller of an operation that is called now
 */
record KeyedLimiter(PolicyOperations operations, Supplier<CountedCaller> caller) implements ReactiveRateLimiter {

    @Override
    public KeyedLimiter forKey(String... values) {
        return operations.limiter(operations.keys.read(values));
    }

    @Override
    public KeyedLimiter forCaller() {
        operations.keys.requireInRequest();
        new CountedCaller.Current(operations).required();
        return new KeyedLimiter(operations, () -> new CountedCaller.Current(operations));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost) {
        return operations.decide(caller.get(), cost, OperationKind.ACQUIRE);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost, Duration maxWait) {
        return operations.decide(caller.get(), cost, inForce -> {
            Arguments.time("maxWait", maxWait, Duration.ZERO);
            return operations.charge(inForce, cost, OperationKind.ACQUIRE);
        }, (charge, resolved) -> operations.parts.calls().decide(charge, resolved.key(),
                Arguments.time("maxWait", maxWait, Duration.ZERO), resolved.deadline()));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquireUpTo(long cost) {
        return operations.decide(caller.get(), cost, OperationKind.ACQUIRE_UP_TO);
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
        return operations.decide(caller.get(), 0, inForce -> new Charge(inForce, PermitRequest.PEEK),
                (charge, resolved) -> operations.parts.calls().decideQuietly(charge.get(), resolved.key(),
                        resolved.deadline()));
    }

    @Override
    public Uni<RateLimitDecision> charge(long cost) {
        return operations.decide(caller.get(), cost, OperationKind.CHARGE);
    }

    @Override
    public Uni<Void> refund(RateLimitDecision earlier) {
        return keepOnEventLoop(() -> {
            Arguments.required("the decision to refund", earlier);
            String policy = operations.policy.name();
            if (!earlier.policy().equals(policy)) {
                throw new IllegalArgumentException("A decision of policy " + earlier.policy()
                        + " cannot be refunded by the limiter of policy " + policy + ". Use the limiter that decided.");
            }
            if (!(earlier instanceof Decision decision)) {
                throw new IllegalArgumentException("A " + earlier.getClass().getName()
                        + " cannot be refunded. Pass the decision that a limiter returned.");
            }
            return operations.parts.calls().refunds().refund(decision);
        });
    }

    @Override
    public Uni<ReactiveRateLimitReservation> reserve(long estimate) {
        return Reservation.reserve(operations, caller.get(), estimate);
    }

    @Override
    public Reservation reservation(String id) {
        return Reservation.of(operations, id);
    }

    @Override
    public Uni<Void> reset() {
        return withKey(key -> operations.parts.administration().reset(operations.policy, key));
    }

    @Override
    public Uni<Void> block(Duration time) {
        return withKey(key -> {
            Duration block = Arguments.time("The time of a block", time, Limit.MIN_PERIOD);
            return operations.enabled ? operations.parts.administration().block(operations.policy, key, block)
                    : Uni.createFrom().voidItem();
        });
    }

    @Override
    public Uni<Void> unblock() {
        return withKey(key -> operations.parts.administration().unblock(operations.policy, key));
    }

    /** A caller without a key is not counted, so there is nothing to change. */
    private Uni<Void> withKey(Function<String, Uni<? extends Void>> change) {
        CountedCaller changed = caller.get();
        return keepOnEventLoop(() -> changed.key().onItem().ifNotNull().transformToUni(change));
    }
}
