package io.quarkiverse.ratelimit.runtime.caller;

/** What a policy does when a part of its key is absent: no such header, an anonymous caller. */
public enum MissingKey {
    /** Uses the caller's address instead; where there is no address, one shared count. */
    IP,
    /** Counts all such callers together. */
    SHARED,
    /** Denies the call. */
    DENY,
    /** Does not apply the policy. */
    SKIP
}
