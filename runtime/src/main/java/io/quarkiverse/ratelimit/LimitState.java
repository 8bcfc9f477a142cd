package io.quarkiverse.ratelimit;

import java.time.Duration;

/** The state of one limit when a call was decided. Later versions may add methods, with a default. */
public interface LimitState {

    /** The limit's name. */
    String limit();

    /** The limit as it was applied. */
    Limit definition();

    /** Whether this limit allowed the call. */
    boolean allowed();

    /** The capacity. */
    long permits();

    /** The permits left after the decision, 0 to {@link #permits()}. */
    long remaining();

    /** How long this limit delays the call. */
    Duration delay();

    /** How long until this limit allows the same call if nobody else calls; zero when it allowed it, and when it never will. */
    Duration retryAfter();

    /** How long until {@link #remaining()} grows; zero when all permits are available, and when that cannot be known. */
    Duration nextPermitAfter();

    /** How long until all permits are available; zero when they are, and when that cannot be known. */
    Duration resetAfter();
}
