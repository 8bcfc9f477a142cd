package io.quarkiverse.ratelimit;

/** A caller that a policy denied during the last minute. Later versions may add methods, with a default. */
public interface DeniedKey {

    /** Returns the name of the policy. */
    String policy();

    /** Returns the key of the caller in its stored form, as in {@link RateLimitDecision#key()}. */
    String key();

    /** Returns how often, at least, the caller was denied, over all instances. */
    long denials();
}
