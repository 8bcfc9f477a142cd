package io.quarkiverse.ratelimit.runtime.entry.code;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;
import static java.util.Objects.requireNonNullElse;

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
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.smallrye.mutiny.Uni;

/**
 * Applies a policy to one caller: that of a key, which is prepared once, or that of the current request.
 *
 * @param caller returns the caller of an operation that is called now
 */
record KeyedLimiter(PolicyOperations operations, Supplier<LimiterCaller> caller) implements ReactiveRateLimiter {

    /** @param key {@code null} until code passes a key to a policy that needs one */
    KeyedLimiter(PolicyOperations operations, PassedKey key) {
        this(operations, () -> new LimiterCaller.Passed(operations, key));
    }

    @Override
    public KeyedLimiter forKey(String... values) {
        return new KeyedLimiter(operations, operations.keys.read(values));
    }

    @Override
    public KeyedLimiter forCaller() {
        operations.keys.requireInRequest();
        new LimiterCaller.Current(operations).required();
        return new KeyedLimiter(operations, () -> new LimiterCaller.Current(operations));
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
        }, (charges, resolved) -> operations.parts.calls().decideOrWait(charges,
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
                (charges, resolved) -> operations.parts.calls().decideQuietly(charges.get(), resolved.deadline()));
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
            boolean isOwn = earlier.policy().equals(policy)
                    || earlier instanceof Decision made && made.firstAsked().policy().equals(policy);
            if (!isOwn) {
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
            return operations.enabled ? operations.parts.administration().block(operations.policy, key, block, Change.BY_CODE)
                    : Uni.createFrom().voidItem();
        });
    }

    @Override
    public Uni<Void> pause(Duration time) {
        LimiterCaller paused = caller.get();
        return keepOnEventLoop(() -> {
            Duration pause = Arguments.time("The time of a pause", time, Limit.MIN_PERIOD);
            return paused.resolve(resolved -> !operations.enabled || resolved.key() == null ? Uni.createFrom().voidItem()
                    : operations.parts.administration().paused(operations.policy, resolved.key(), operations.parts.pauses()
                            .pause(requireNonNullElse(operations.inForce(resolved), operations.policy), resolved.key(),
                                    pause)));
        });
    }

    @Override
    public Uni<Void> unblock() {
        LimiterCaller unblocked = caller.get();
        return keepOnEventLoop(() -> unblocked.resolve(resolved -> resolved.key() == null ? Uni.createFrom().voidItem()
                : operations.parts.administration()
                        .unblock(requireNonNullElse(operations.inForce(resolved), operations.policy), resolved.key())));
    }

    /** Changes the key of the caller. A caller without a key is not counted, so there is nothing to change. */
    private Uni<Void> withKey(Function<String, Uni<? extends Void>> change) {
        LimiterCaller changed = caller.get();
        return keepOnEventLoop(() -> changed.key().onItem().ifNotNull().transformToUni(change));
    }
}
