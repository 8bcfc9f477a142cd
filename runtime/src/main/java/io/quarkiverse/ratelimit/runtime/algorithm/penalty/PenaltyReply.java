package io.quarkiverse.ratelimit.runtime.algorithm.penalty;

import java.time.Duration;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/**
 * The reply of a penalty.
 *
 * @param granted 0 if the key is blocked, or if the denial by a limit of the policy was counted
 * @param micros how long the key is blocked; 0 if it is not
 */
public record PenaltyReply(long granted, long micros) implements LimitReply {

    /** How long the key is blocked; zero if it is not. */
    public Duration blockedFor() {
        return LimitUsage.micros(micros);
    }
}
