package io.quarkiverse.ratelimit.runtime.api;

import java.time.Duration;
import java.util.Arrays;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.smallrye.mutiny.Uni;

/** Applies a policy to one caller, whose key is prepared once. */
final class KeyedLimiter implements ReactiveRateLimiter {

    private final PolicyOperations policy;
    private final PassedKey key;

    /** @param key {@code null} until code passes a key to a policy that needs one */
    KeyedLimiter(PolicyOperations policy, PassedKey key) {
        this.policy = policy;
        this.key = key;
    }

    @Override
    public KeyedLimiter forKey(String... values) {
        return new KeyedLimiter(policy, policy.keys().of(values == null ? null : Arrays.asList(values)));
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire() {
        return tryAcquire(1);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost) {
        return policy.acquire(key, cost);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquire(long cost, Duration maxWait) {
        return policy.acquire(key, cost, maxWait);
    }

    @Override
    public Uni<RateLimitDecision> tryAcquireUpTo(long cost) {
        return policy.acquireUpTo(key, cost);
    }

    @Override
    public Uni<RateLimitDecision> acquireOrThrow() {
        return acquireOrThrow(1);
    }

    @Override
    public Uni<RateLimitDecision> acquireOrThrow(long cost) {
        return tryAcquire(cost).invoke(PolicyOperations::throwIfDenied);
    }

    @Override
    public Uni<RateLimitDecision> peek() {
        return policy.peek(key);
    }

    @Override
    public Uni<RateLimitDecision> charge(long cost) {
        return policy.charge(key, cost);
    }

    @Override
    public Uni<Void> refund(RateLimitDecision decision) {
        return policy.refund(decision);
    }

    @Override
    public Uni<ReactiveRateLimitReservation> reserve(long estimate) {
        return policy.reservations().reserve(key, estimate);
    }

    @Override
    public Reservation reservation(String id) {
        return policy.reservations().reservation(id);
    }

    @Override
    public Uni<Void> reset() {
        return CallerContext.keepOnEventLoop(() -> policy.reset(key));
    }

    @Override
    public Uni<Void> block(Duration time) {
        return CallerContext.keepOnEventLoop(() -> policy.block(key, time));
    }

    @Override
    public Uni<Void> unblock() {
        return CallerContext.keepOnEventLoop(() -> policy.unblock(key));
    }
}
