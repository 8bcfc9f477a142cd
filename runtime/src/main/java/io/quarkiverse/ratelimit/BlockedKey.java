package io.quarkiverse.ratelimit;

import java.time.Duration;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/** A key that is blocked now. Later versions may add methods, with a default. */
public interface BlockedKey {

    /** The key of the caller in its stored form, as in {@link RateLimitDecision#key()}. */
    String key();

    /** How long the key is still blocked. */
    Duration timeLeft();

    /** {@link DenialReason#PAUSED} if a called service has asked for it, otherwise {@link DenialReason#BLOCKED}. */
    default DenialReason reason() {
        return DenialReason.BLOCKED;
    }
}
