package io.quarkiverse.ratelimit;

import java.time.Duration;

/** The state of one limit when a call was decided. Later versions may add methods, with a default. */
public interface LimitState {

    /** Returns the name of the policy that has the limit: that of the decision, or one that was asked for its call, too. */
    default String policy() {
        return "";
    }

    /** Returns the limit's name. */
    String limit();

    /** Returns the limit as it was applied. */
    Limit definition();

    /** Returns whether this limit allowed the call. */
    boolean allowed();

    /** Returns the capacity. */
    long permits();

    /** Returns the permits left after the decision, 0 to {@link #permits()}. */
    long remaining();

    /** Returns how long this limit delays the call. */
    Duration delay();

    /** Returns how long until this limit allows the same call if nobody else calls; zero if it did, or never will. */
    Duration retryAfter();

    /** Returns how long until {@link #remaining()} grows; zero if all permits are available, or if it cannot be known. */
    Duration nextPermitAfter();

    /** Returns how long until all permits are available; zero when they are, and when that cannot be known. */
    Duration resetAfter();
}
