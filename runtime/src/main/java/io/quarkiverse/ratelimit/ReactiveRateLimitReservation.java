package io.quarkiverse.ratelimit;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/** A {@link RateLimitReservation} whose methods never block. */
public interface ReactiveRateLimitReservation {

    /** {@link RateLimitReservation#decision}. */
    RateLimitDecision decision();

    /** {@link RateLimitReservation#id}. */
    String id();

    /** {@link RateLimitReservation#settle}. */
    @CheckReturnValue
    Uni<RateLimitDecision> settle(long actual);

    /** {@link RateLimitReservation#cancel}. */
    @CheckReturnValue
    Uni<Void> cancel();
}
