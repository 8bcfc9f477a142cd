package io.quarkiverse.ratelimit;

import java.time.Duration;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/**
 * Applies one policy from code without blocking. The methods are those of {@link RateLimiter}; each subscription to a
 * {@link Uni} is one operation. If a subscriber cancels, these acquire nothing: a call with {@code maxWait}, {@link #reserve},
 * and any call under a policy with {@code max-wait}. Any other call counts if its request is already on its way to Redis.
 *
 * <pre>
 * &#64;Inject
 * &#64;RateLimitPolicy("email")
 * ReactiveRateLimiter limiter;
 *
 * return limiter.forKey("alice").acquireOrThrow().chain(() -> send(mail));
 * </pre>
 */
public interface ReactiveRateLimiter {

    ReactiveRateLimiter forKey(String... values);

    /** {@link RateLimiter#forCaller}. Call it, and its methods, where the request is served; subscribe anywhere. */
    ReactiveRateLimiter forCaller();

    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire();

    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire(long cost);

    /** {@link RateLimiter#tryAcquire(long, Duration)}; completes when the call may proceed. */
    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire(long cost, Duration maxWait);

    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquireUpTo(long cost);

    /** {@link RateLimiter#acquireOrThrow()}; the {@link Uni} fails with the exception. */
    @CheckReturnValue
    Uni<RateLimitDecision> acquireOrThrow();

    /** {@link RateLimiter#acquireOrThrow(long)}; the {@link Uni} fails with the exception. */
    @CheckReturnValue
    Uni<RateLimitDecision> acquireOrThrow(long cost);

    @CheckReturnValue
    Uni<RateLimitDecision> peek();

    @CheckReturnValue
    Uni<RateLimitDecision> charge(long cost);

    @CheckReturnValue
    Uni<Void> refund(RateLimitDecision decision);

    @CheckReturnValue
    Uni<ReactiveRateLimitReservation> reserve(long estimate);

    @CheckReturnValue
    ReactiveRateLimitReservation reservation(String id);

    @CheckReturnValue
    Uni<Void> reset();

    @CheckReturnValue
    Uni<Void> block(Duration time);

    @CheckReturnValue
    Uni<Void> unblock();
}
