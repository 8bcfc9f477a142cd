package io.quarkiverse.ratelimit;

import java.time.Duration;

/** A key that is blocked now. Later versions may add methods, with a default. */
public interface BlockedKey {

    /** The key of the caller in its stored form, as in {@link RateLimitDecision#key()}. */
    String key();

    /** How long the key is still blocked. */
    Duration timeLeft();
}
