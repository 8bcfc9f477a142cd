package io.quarkiverse.ratelimit;

/**
 * Permits that were acquired for work whose cost is known only afterwards, or that runs for a while. It ends with
 * {@link #settle} or {@link #cancel}: the first call counts, later ones have no effect, also on other instances. Permits of
 * {@link Algorithm#CONCURRENCY} are held and renewed until then.
 */
public interface RateLimitReservation {

    /** Returns the decision. After a denial there is nothing to settle, and the other methods have no effect. */
    RateLimitDecision decision();

    /**
     * Identifies the reservation, also on other instances: {@link RateLimiter#reservation}. Other instances remember its end
     * as long as its permits count, for at least two minutes. The id contains the key of the caller. Do not give it to clients
     * without {@code quarkus.rate-limit.reservation-secret}, because they could change it.
     */
    String id();

    /**
     * Ends the reservation with the real cost. What was reserved beyond it is refunded; what was not reserved is charged,
     * even beyond the limit. Limits that count calls do not change. Permits of {@link Algorithm#CONCURRENCY} are all released.
     *
     * @param actual 0 to 10<sup>9</sup>
     * @return what is left afterwards; {@code granted} is {@code actual}, and 0 if the reservation had ended before.
     *         Refunding it has no effect
     */
    RateLimitDecision settle(long actual);

    /** Ends the reservation and refunds all of it. */
    void cancel();
}
