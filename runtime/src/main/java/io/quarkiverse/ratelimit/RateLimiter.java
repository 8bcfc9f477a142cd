package io.quarkiverse.ratelimit;

import java.time.Duration;

import io.smallrye.common.annotation.CheckReturnValue;

/**
 * Applies one policy from code, and waits for each reply: for worker threads and virtual threads. On an event loop use
 * {@link #reactive()}.
 * <p>
 * Inject it with {@link RateLimitPolicy}, or get it from {@link RateLimiters}. All threads may share it.
 *
 * <pre>
 * &#64;Inject
 * &#64;RateLimitPolicy("email")
 * RateLimiter limiter;
 *
 * RateLimitDecision decision = limiter.forKey("alice").tryAcquire();
 * if (!decision.allowed()) {
 *     later(mail, decision.retryAfter());
 * }
 * </pre>
 *
 * <ul>
 * <li>{@link #forKey} or {@link #forCaller} selects the caller that counts. Without them, only a policy with
 * {@code key=global} can be used; {@link #refund} and {@link #reservation} need no caller.</li>
 * <li>A cost is 1 to 10<sup>9</sup>. A longer wait than 366 days is an {@link IllegalArgumentException}.</li>
 * <li>When Redis is unavailable, the policy's {@code on-redis-failure} decides, and
 * {@link RateLimitDecision#source()} is {@code FALLBACK}.</li>
 * <li>A policy with a limit of {@link Algorithm#CONCURRENCY} is used with {@link #reserve} or with annotations. The
 * {@code acquire} methods and {@link #charge} on it fail with {@link UnsupportedOperationException}.</li>
 * <li>If the policy has an {@code overflow}, the {@code acquire} methods, {@link #peek} and {@link #reserve} ask it, too, if
 * this policy denies the call. The decision is that of the policy that is charged; {@link RateLimitDecision#limits()} has the
 * limits of all policies that were asked. A part of the overflow's key gets the value that {@link #forKey} has for the same
 * part of this policy's key. Other parts come from the current request, but {@code method} has no value in code. Without
 * them, the overflow is not asked. All other methods mean this policy alone.</li>
 * <li>A policy in shadow mode allows every call. A policy that is not enabled does not count calls either.</li>
 * <li>Every method fails with {@link IllegalStateException} on an event loop. If the thread is interrupted, the method fails
 * with {@link java.util.concurrent.CompletionException}, and the thread stays interrupted. Then these acquire
 * nothing: a call with {@code maxWait}, {@link #reserve}, and any call under a policy with {@code max-wait}. Any other call
 * counts if its request is already on its way to Redis.</li>
 * </ul>
 */
public interface RateLimiter {

    /**
     * Returns the same limiter for one caller. It may be kept: the key is prepared once.
     *
     * @param values in the order of the parts of the policy's {@code key}, then those of {@link RateLimitKey}; none of them
     *        {@code null}. A policy without a {@code key} takes any number of values, at least one
     * @throws IllegalArgumentException when the policy's key has another number of parts, or a value is {@code null}
     */
    RateLimiter forKey(String... values);

    /**
     * Returns the same limiter for the caller of the current HTTP request. For a WebSocket message, this is the caller of
     * the handshake. The limiter counts for the key that {@code key} of the policy describes, as {@link RateLimited} does;
     * arguments of {@link RateLimitKey} are not part of it. {@code missing-key}, {@code normalize}, {@code plan} and all
     * exemptions of the policy apply, too. So callers can see their own limits:
     *
     * <pre>
     * &#64;GET
     * &#64;Path("/limits")
     * public long left() {
     *     return limiter.forCaller().peek().remaining();
     * }
     * </pre>
     *
     * <ul>
     * <li>Each operation finds the caller when its method is called. So a limiter that is kept never counts for the caller
     * of an earlier request.</li>
     * <li>It authenticates the caller, and calls resolver beans, where the policy needs them. Their
     * {@link io.quarkiverse.ratelimit.spi.RateLimitCall#method()} is {@code null}.</li>
     * <li>Every call of an exempt caller is allowed, with {@link RateLimitDecision.Source#NOT_LIMITED}.</li>
     * <li>If a part of the key is missing, {@code missing-key} applies: with {@code skip} every call is allowed, with
     * {@code deny} every call is denied with {@link RateLimitDecision.DenialReason#MISSING_KEY}. With both, {@link #reset},
     * {@link #block} and {@link #unblock} do nothing.</li>
     * </ul>
     *
     * @throws IllegalStateException outside of a request, such as in a scheduled method, at the start, or on a thread without
     *         the request's context. Each operation then fails in the same way
     * @throws UnsupportedOperationException when the policy has no {@code key}, or a part of it is {@code method}
     */
    RateLimiter forCaller();

    /** Acquires one permit, or is denied. Waits only as long as the policy's {@code max-wait}. */
    @CheckReturnValue
    RateLimitDecision tryAcquire();

    /** Acquires {@code cost} permits, or is denied; never a part of them. */
    @CheckReturnValue
    RateLimitDecision tryAcquire(long cost);

    /**
     * Acquires {@code cost} permits as soon as they are available within {@code maxWait}. Is denied at once when that is not
     * possible. Calls that wait on one instance are served in the order in which they arrived.
     *
     * @param maxWait zero to 366 days
     */
    @CheckReturnValue
    RateLimitDecision tryAcquire(long cost, Duration maxWait);

    /**
     * Acquires as many permits as are available, at most {@code cost}. When there are none it is denied, with
     * {@code granted} 0 and {@code retryAfter} as for one permit.
     */
    @CheckReturnValue
    RateLimitDecision tryAcquireUpTo(long cost);

    /** Acquires one permit; fails as {@link #acquireOrThrow(long)}. */
    RateLimitDecision acquireOrThrow();

    /**
     * Acquires {@code cost} permits.
     *
     * @throws RateLimitExceededException when the call is denied
     * @throws RateLimitUnavailableException when Redis is unavailable and {@code on-redis-failure} is {@code deny}
     */
    RateLimitDecision acquireOrThrow(long cost);

    /** Returns whether one permit is available, and how many are left. Changes nothing. */
    @CheckReturnValue
    RateLimitDecision peek();

    /** Charges {@code cost} permits even beyond the limit, for a cost that is known only afterwards. */
    RateLimitDecision charge(long cost);

    /**
     * Returns the permits of a decision of this limiter, or of one that this policy paid, to the limits they came from. Permits
     * that no longer count are not
     * returned: those of a window that has passed, and those of a bucket that have been refilled since. A refund never allows
     * more calls than if the call had never been made. Repeating it has no effect. If Redis does not reply, the refund is
     * repeated in the background. Permits of {@link Algorithm#CONCURRENCY} are not refunded: end the reservation instead.
     *
     * @throws IllegalArgumentException when the limiter of another policy made the decision, and this policy has not paid
     */
    void refund(RateLimitDecision decision);

    /** Acquires {@code estimate} permits, or is denied. Settle or cancel the reservation afterwards. */
    @CheckReturnValue
    RateLimitReservation reserve(long estimate);

    /**
     * Returns a reservation that was made before, perhaps on another instance.
     *
     * @param id what {@link RateLimitReservation#id()} returned
     * @throws IllegalArgumentException when it is not the id of a reservation of this policy, or when no
     *         {@code quarkus.rate-limit.reservation-secret} of this instance made its checksum
     */
    @CheckReturnValue
    RateLimitReservation reservation(String id);

    /**
     * Removes what the caller has used, and unblocks it, on all instances.
     *
     * @throws RateLimitUnavailableException when Redis is unavailable
     */
    void reset();

    /**
     * Blocks the caller on all instances: until the time is over, its calls are denied with
     * {@link RateLimitDecision.DenialReason#BLOCKED}. Works for every policy, also for one without a {@code penalty}. It
     * replaces an earlier block by code; of this block and one by a {@code penalty}, the longer applies. Other instances deny
     * the caller within a second, and go on while Redis is unavailable. {@link #charge} and {@link #refund} still work. Exempt
     * callers are not denied. There are at most 10 000 overrides and blocks.
     *
     * @param time 1 ms to 366 days
     * @throws RateLimitUnavailableException when Redis is unavailable; this instance then denies the caller until it is
     *         available again
     */
    void block(Duration time);

    /**
     * Pauses the caller on all instances, as if a called service had asked for it with {@code Retry-After}. Use it where a
     * service asks in another way, such as a header of its own. The policy does not need {@code obey-retry-after}, and that
     * does not limit the pause.
     * <ul>
     * <li>Until the time is over, calls with {@code max-wait} wait for the end, and others are denied with
     * {@link RateLimitDecision.DenialReason#PAUSED}. Of several pauses and blocks, the one that ends last applies.
     * <li>When a pause ends, or {@link #unblock} ends it, buckets are empty, so that calls go at the pace of the limit. Other
     * algorithms allow what they have left. {@link #reset} ends it with all permits available.
     * <li>This instance pauses at once, others within a second, and all go on while Redis is unavailable. Exempt callers are
     * not denied.
     * <li>A policy has at most 1000 pauses on all instances, all policies together 10 000. One more replaces the pause of this
     * policy that ends first, which then applies only on the instance that began it.
     * </ul>
     *
     * @param time 1 ms to 366 days
     * @throws RateLimitUnavailableException when Redis is unavailable; this instance then pauses the caller nevertheless
     * @throws IllegalStateException when other policies have 10 000 pauses; only this instance then pauses the caller
     */
    void pause(Duration time);

    /**
     * Ends a block or a pause of the caller, on all instances, whether code or a {@code penalty} began it. Removes the denials
     * that the {@code penalty} has counted, and earlier blocks, so that the next one is not longer. What the caller has used
     * stays used.
     *
     * @throws RateLimitUnavailableException when Redis is unavailable
     */
    void unblock();

    /** Returns the same limiter with methods that never block. */
    ReactiveRateLimiter reactive();
}
