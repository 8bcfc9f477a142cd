package io.quarkiverse.ratelimit;

import java.time.Duration;

import io.smallrye.mutiny.Uni;

/**
 * Asks one policy from code. Injected with {@link RateLimitPolicy}, or found and made by {@link RateLimiters}; may be
 * shared by all threads.
 *
 * <ul>
 * <li>Each subscription to a {@link Uni} asks once. It never blocks, and fails only for arguments that are out of range,
 * for a key that has not as many values as the policy's key has parts, and where it says so.</li>
 * <li>A key is the plain value for a policy with one key part; for several parts {@link CallerKey#of}.</li>
 * <li>Costs are 1 to 10<sup>9</sup>, times zero to 366 days.</li>
 * <li>When Redis is away, {@code on-redis-failure} decides, and {@code source} says so.</li>
 * <li>A policy with a limit of {@link Algorithm#CONCURRENCY} is used with {@link #reserve} and with annotations;
 * {@code acquire}, {@code acquireUpTo} and {@code charge} on it fail.</li>
 * <li>A policy in shadow mode admits everything; one that is not enabled is not even counted.</li>
 * <li>Methods with the suffix {@code AndAwait} wait for the answer, and fail on an event loop. Who is interrupted stops
 * waiting and takes nothing; it fails with a {@code CompletionException} and stays interrupted.</li>
 * </ul>
 *
 * <pre>
 * return limiter.acquire("alice").chain(decision -> decision.allowed() ? send(mail) : later(mail, decision.retryAfter()));
 * </pre>
 */
public interface RateLimiter {

    /** Takes one permit, or refuses. Waits only as the policy's {@code max-wait} says. */
    default Uni<RateLimitDecision> acquire(CallerKey key) {
        return acquire(key, 1);
    }

    /** {@link #acquire(CallerKey)} for a key of one value. */
    default Uni<RateLimitDecision> acquire(String key) {
        return acquire(CallerKey.of(key));
    }

    /** {@link #acquire(CallerKey)}, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(CallerKey key) {
        return Await.answer(acquire(key));
    }

    /** {@link #acquire(CallerKey)} for a key of one value, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(String key) {
        return Await.answer(acquire(key));
    }

    /** Takes {@code cost} permits, or refuses; never a part of them. Waits only as the policy's {@code max-wait} says. */
    Uni<RateLimitDecision> acquire(CallerKey key, long cost);

    /** {@link #acquire(CallerKey, long)} for a key of one value. */
    default Uni<RateLimitDecision> acquire(String key, long cost) {
        return acquire(CallerKey.of(key), cost);
    }

    /** {@link #acquire(CallerKey, long)}, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(CallerKey key, long cost) {
        return Await.answer(acquire(key, cost));
    }

    /** {@link #acquire(CallerKey, long)} for a key of one value, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(String key, long cost) {
        return Await.answer(acquire(key, cost));
    }

    /**
     * Takes {@code cost} permits as soon as they can be had within {@code maxWait}, or refuses at once when that is not
     * possible. Completes when the call may go ahead. Those that wait on one instance are served in the order of their
     * arrival; who cancels stops waiting and takes nothing.
     */
    Uni<RateLimitDecision> acquire(CallerKey key, long cost, Duration maxWait);

    /** {@link #acquire(CallerKey, long, Duration)} for a key of one value. */
    default Uni<RateLimitDecision> acquire(String key, long cost, Duration maxWait) {
        return acquire(CallerKey.of(key), cost, maxWait);
    }

    /** {@link #acquire(CallerKey, long, Duration)}, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(CallerKey key, long cost, Duration maxWait) {
        return Await.answer(acquire(key, cost, maxWait));
    }

    /** {@link #acquire(CallerKey, long, Duration)} for a key of one value, waiting for the answer. */
    default RateLimitDecision acquireAndAwait(String key, long cost, Duration maxWait) {
        return Await.answer(acquire(key, cost, maxWait));
    }

    /**
     * Takes as many permits as there are, at most {@code cost}. Where there are none it is refused with
     * {@code retryAfter} as for one.
     */
    Uni<RateLimitDecision> acquireUpTo(CallerKey key, long cost);

    /** {@link #acquireUpTo(CallerKey, long)} for a key of one value. */
    default Uni<RateLimitDecision> acquireUpTo(String key, long cost) {
        return acquireUpTo(CallerKey.of(key), cost);
    }

    /** {@link #acquireUpTo(CallerKey, long)}, waiting for the answer. */
    default RateLimitDecision acquireUpToAndAwait(CallerKey key, long cost) {
        return Await.answer(acquireUpTo(key, cost));
    }

    /** {@link #acquireUpTo(CallerKey, long)} for a key of one value, waiting for the answer. */
    default RateLimitDecision acquireUpToAndAwait(String key, long cost) {
        return Await.answer(acquireUpTo(key, cost));
    }

    /** How the policy stands: whether one permit could be taken. Changes nothing. */
    Uni<RateLimitDecision> peek(CallerKey key);

    /** {@link #peek(CallerKey)} for a key of one value. */
    default Uni<RateLimitDecision> peek(String key) {
        return peek(CallerKey.of(key));
    }

    /** {@link #peek(CallerKey)}, waiting for the answer. */
    default RateLimitDecision peekAndAwait(CallerKey key) {
        return Await.answer(peek(key));
    }

    /** {@link #peek(CallerKey)} for a key of one value, waiting for the answer. */
    default RateLimitDecision peekAndAwait(String key) {
        return Await.answer(peek(key));
    }

    /** Takes {@code cost} permits even beyond the limit, for a cost that is known afterwards. */
    Uni<RateLimitDecision> charge(CallerKey key, long cost);

    /** {@link #charge(CallerKey, long)} for a key of one value. */
    default Uni<RateLimitDecision> charge(String key, long cost) {
        return charge(CallerKey.of(key), cost);
    }

    /** {@link #charge(CallerKey, long)}, waiting for the answer. */
    default RateLimitDecision chargeAndAwait(CallerKey key, long cost) {
        return Await.answer(charge(key, cost));
    }

    /** {@link #charge(CallerKey, long)} for a key of one value, waiting for the answer. */
    default RateLimitDecision chargeAndAwait(String key, long cost) {
        return Await.answer(charge(key, cost));
    }

    /**
     * Takes {@code estimate} permits, or refuses; to be settled or cancelled afterwards. Waits only as the policy's
     * {@code max-wait} says.
     */
    Uni<RateLimitReservation> reserve(CallerKey key, long estimate);

    /** {@link #reserve(CallerKey, long)} for a key of one value. */
    default Uni<RateLimitReservation> reserve(String key, long estimate) {
        return reserve(CallerKey.of(key), estimate);
    }

    /** {@link #reserve(CallerKey, long)}, waiting for the answer. */
    default RateLimitReservation reserveAndAwait(CallerKey key, long estimate) {
        return Await.answer(reserve(key, estimate));
    }

    /** {@link #reserve(CallerKey, long)} for a key of one value, waiting for the answer. */
    default RateLimitReservation reserveAndAwait(String key, long estimate) {
        return Await.answer(reserve(key, estimate));
    }

    /**
     * Forgets what the caller has used up, in Redis and in this instance. Fails with {@link IllegalStateException} where
     * Redis is away.
     */
    Uni<Void> reset(CallerKey key);

    /** {@link #reset(CallerKey)} for a key of one value. */
    default Uni<Void> reset(String key) {
        return reset(CallerKey.of(key));
    }

    /** {@link #reset(CallerKey)}, waiting for the answer. */
    default void resetAndAwait(CallerKey key) {
        Await.answer(reset(key));
    }

    /** {@link #reset(CallerKey)} for a key of one value, waiting for the answer. */
    default void resetAndAwait(String key) {
        Await.answer(reset(key));
    }

    /**
     * Gives back what a decision of this policy took, where it took it, as far as it still counts: nothing of a window that
     * has passed, and a bucket's permits only as far as they have not come back by themselves. It never lets more through
     * than if the call had never been made. Repeating it has no effect. Completes when Redis has answered or could not be
     * reached; it is tried again in the background.
     */
    Uni<Void> refund(RateLimitDecision taken);

    /** {@link #refund}, waiting for the answer. */
    default void refundAndAwait(RateLimitDecision taken) {
        Await.answer(refund(taken));
    }
}
