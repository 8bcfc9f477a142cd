package io.quarkiverse.ratelimit.runtime.caller;

/** The decisions of a policy if a part of its key is absent, such as a header or the name of an anonymous caller. */
public enum MissingKey {
    /** Uses the caller's address instead, or one shared count if there is no address. */
    IP,
    /** Counts all such callers together. */
    SHARED,
    /** Denies the call. */
    DENY,
    /** Does not apply the policy. */
    SKIP
}
