package io.quarkiverse.ratelimit;

import io.smallrye.mutiny.Uni;

/**
 * Permits that were taken for work whose cost is known afterwards, or that runs for a while. Ends with {@link #settle} or
 * {@link #cancel}: the first call counts, others have no effect. Permits of {@link Algorithm#CONCURRENCY} are held, and
 * renewed, until then.
 */
public interface RateLimitReservation {

    /** What was decided. When it was refused there is nothing to settle, and nothing happens. */
    RateLimitDecision decision();

    /**
     * Ends the reservation with the real cost: the difference to the estimate is given back, or charged even beyond the
     * limit. Permits of {@link Algorithm#CONCURRENCY} are given back all.
     *
     * @param actual 0 to 10<sup>9</sup>
     * @return how the policy stands afterwards; {@code granted} is {@code actual}
     */
    Uni<RateLimitDecision> settle(long actual);

    /** Ends the reservation and gives everything back. */
    Uni<Void> cancel();

    /** {@link #settle}, waiting for the answer; not on an event loop. */
    default RateLimitDecision settleAndAwait(long actual) {
        return Await.answer(settle(actual));
    }

    /** {@link #cancel}, waiting for the answer; not on an event loop. */
    default void cancelAndAwait() {
        Await.answer(cancel());
    }
}
