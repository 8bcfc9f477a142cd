package io.quarkiverse.ratelimit.runtime.entry.code;

import java.time.Duration;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Await;

/** Waits for the results of a reactive limiter. */
record BlockingLimiter(ReactiveRateLimiter reactive) implements RateLimiter {

    @Override
    public RateLimiter forKey(String... values) {
        return new BlockingLimiter(reactive.forKey(values));
    }

    @Override
    public RateLimiter forCaller() {
        return new BlockingLimiter(reactive.forCaller());
    }

    @Override
    public RateLimitDecision tryAcquire() {
        return Await.result(reactive.tryAcquire());
    }

    @Override
    public RateLimitDecision tryAcquire(long cost) {
        return Await.result(reactive.tryAcquire(cost));
    }

    @Override
    public RateLimitDecision tryAcquire(long cost, Duration maxWait) {
        return Await.result(reactive.tryAcquire(cost, maxWait));
    }

    @Override
    public RateLimitDecision tryAcquireUpTo(long cost) {
        return Await.result(reactive.tryAcquireUpTo(cost));
    }

    @Override
    public RateLimitDecision acquireOrThrow() {
        return Await.result(reactive.acquireOrThrow());
    }

    @Override
    public RateLimitDecision acquireOrThrow(long cost) {
        return Await.result(reactive.acquireOrThrow(cost));
    }

    @Override
    public RateLimitDecision peek() {
        return Await.result(reactive.peek());
    }

    @Override
    public RateLimitDecision charge(long cost) {
        return Await.result(reactive.charge(cost));
    }

    @Override
    public void refund(RateLimitDecision decision) {
        Await.result(reactive.refund(decision));
    }

    @Override
    public RateLimitReservation reserve(long estimate) {
        return new BlockingReservation(Await.result(reactive.reserve(estimate)));
    }

    @Override
    public RateLimitReservation reservation(String id) {
        return new BlockingReservation(reactive.reservation(id));
    }

    @Override
    public void reset() {
        Await.result(reactive.reset());
    }

    @Override
    public void block(Duration time) {
        Await.result(reactive.block(time));
    }

    @Override
    public void pause(Duration time) {
        Await.result(reactive.pause(time));
    }

    @Override
    public void unblock() {
        Await.result(reactive.unblock());
    }

    private record BlockingReservation(ReactiveRateLimitReservation reactive) implements RateLimitReservation {

        @Override
        public RateLimitDecision decision() {
            return reactive.decision();
        }

        @Override
        public String id() {
            return reactive.id();
        }

        @Override
        public RateLimitDecision settle(long actual) {
            return Await.result(reactive.settle(actual));
        }

        @Override
        public void cancel() {
            Await.result(reactive.cancel());
        }
    }
}
