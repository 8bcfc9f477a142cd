package io.quarkiverse.ratelimit;

/** What a limit charges a call. */
public enum Counts {

    /** The cost of the call. */
    COST,

    /** 1 permit, whatever the call costs. */
    CALLS
}
