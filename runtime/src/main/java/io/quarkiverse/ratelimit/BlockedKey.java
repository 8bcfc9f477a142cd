package io.quarkiverse.ratelimit;

import java.time.Duration;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/** A key that is blocked now. Later versions may add methods, with a default. */
public interface BlockedKey {

    /** Returns the key of the caller in its stored form, as in {@link RateLimitDecision#key()}. */
    String key();

    /** Returns how long the key is still blocked. */
    Duration timeLeft();

    /**
     * Returns {@link DenialReason#PAUSED} if a called service or code has asked for a pause, otherwise
     * {@link DenialReason#BLOCKED}.
     */
    default DenialReason reason() {
        return DenialReason.BLOCKED;
    }
}
