package io.quarkiverse.ratelimit;

/** Defines what a limit charges a call. */
public enum Counts {

    /** Cost of the call. */
    COST,

    /** 1 permit, whatever the call costs. */
    CALLS
}
