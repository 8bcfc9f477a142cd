package io.quarkiverse.ratelimit.runtime.caller;

/** What a policy does when a part of its key is absent: no such header, an anonymous caller. */
public enum MissingKey {
    /** Counts the caller's address instead; where there is none, one shared count. */
    IP,
    /** Counts all such callers together. */
    SHARED,
    /** Refuses the call. */
    REFUSE,
    /** Leaves the policy out. */
    SKIP
}
