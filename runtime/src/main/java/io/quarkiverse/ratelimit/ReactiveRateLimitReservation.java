package io.quarkiverse.ratelimit;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/** A {@link RateLimitReservation} whose methods never block. They have the same names and do the same. */
public interface ReactiveRateLimitReservation {

    RateLimitDecision decision();

    String id();

    @CheckReturnValue
    Uni<RateLimitDecision> settle(long actual);

    @CheckReturnValue
    Uni<Void> cancel();
}
