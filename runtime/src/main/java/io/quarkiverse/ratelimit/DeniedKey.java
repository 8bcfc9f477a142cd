package io.quarkiverse.ratelimit;

/** A caller that a policy denied during the last minute. Later versions may add methods, with a default. */
public interface DeniedKey {

    /** The key of the caller in its stored form, as in {@link RateLimitDecision#key()}. */
    String key();

    /** How often the caller was denied at least, over all instances. */
    long denials();
}
