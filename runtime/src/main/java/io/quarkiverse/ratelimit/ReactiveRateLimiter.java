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

    /** {@link RateLimiter#forKey}. */
    ReactiveRateLimiter forKey(String... values);

    /** {@link RateLimiter#forCaller}. Call it, and its methods, where the request is served; subscribe anywhere. */
    ReactiveRateLimiter forCaller();

    /** {@link RateLimiter#tryAcquire()}. */
    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire();

    /** {@link RateLimiter#tryAcquire(long)}. */
    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire(long cost);

    /** {@link RateLimiter#tryAcquire(long, Duration)}; completes when the call may proceed. */
    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquire(long cost, Duration maxWait);

    /** {@link RateLimiter#tryAcquireUpTo}. */
    @CheckReturnValue
    Uni<RateLimitDecision> tryAcquireUpTo(long cost);

    /** {@link RateLimiter#acquireOrThrow()}; the {@link Uni} fails with the exception. */
    @CheckReturnValue
    Uni<RateLimitDecision> acquireOrThrow();

    /** {@link RateLimiter#acquireOrThrow(long)}; the {@link Uni} fails with the exception. */
    @CheckReturnValue
    Uni<RateLimitDecision> acquireOrThrow(long cost);

    /** {@link RateLimiter#peek}. */
    @CheckReturnValue
    Uni<RateLimitDecision> peek();

    /** {@link RateLimiter#charge}. */
    @CheckReturnValue
    Uni<RateLimitDecision> charge(long cost);

    /** {@link RateLimiter#refund}. */
    @CheckReturnValue
    Uni<Void> refund(RateLimitDecision decision);

    /** {@link RateLimiter#reserve}. */
    @CheckReturnValue
    Uni<ReactiveRateLimitReservation> reserve(long estimate);

    /** {@link RateLimiter#reservation}. */
    @CheckReturnValue
    ReactiveRateLimitReservation reservation(String id);

    /** {@link RateLimiter#reset}. */
    @CheckReturnValue
    Uni<Void> reset();

    /** {@link RateLimiter#block}. */
    @CheckReturnValue
    Uni<Void> block(Duration time);

    /** {@link RateLimiter#pause}. */
    @CheckReturnValue
    Uni<Void> pause(Duration time);

    /** {@link RateLimiter#unblock}. */
    @CheckReturnValue
    Uni<Void> unblock();
}
