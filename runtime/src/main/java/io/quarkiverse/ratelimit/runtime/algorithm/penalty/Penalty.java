package io.quarkiverse.ratelimit.runtime.algorithm.penalty;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;

/**
 * Denies the calls of a blocked key, and blocks a key that is denied too often. The scripts of {@code penalty} explain the
 * algorithm and implement the same.
 *
 * @param after how many denials begin a block; 0 if denials do not count
 * @param within the span of these denials
 * @param block how long the first block lasts
 * @param maxBlock the longest block; also how long after a block the next one still lasts twice as long
 * @param blockedFor for how many microseconds code has blocked or paused the key
 * @param reason of the denials of a blocked key
 */
public record Penalty(int after, Duration within, Duration block, Duration maxBlock, LongSupplier blockedFor,
        DenialReason reason) {

    /** Blocks no key. */
    public static final Penalty NONE = new Penalty(0, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public static final int MAX_AFTER = 1_000;

    private static final LongSupplier NOT_BLOCKED = () -> 0;

    public Penalty(int after, Duration within, Duration block, Duration maxBlock) {
        this(after, within, block, maxBlock, NOT_BLOCKED, DenialReason.BLOCKED);
    }

    /** This penalty for a key that code has blocked. */
    public Penalty blockedFor(LongSupplier micros) {
        return new Penalty(after, within, block, maxBlock, micros, DenialReason.BLOCKED);
    }

    /** This penalty for a key that is paused. */
    public Penalty pausedFor(LongSupplier micros) {
        return new Penalty(after, within, block, maxBlock, micros, DenialReason.PAUSED);
    }

    /** This penalty for a call whose denial does not count. */
    public Penalty uncounted() {
        return new Penalty(0, within, block, maxBlock, blockedFor, reason);
    }

    /** Whether denials count. */
    public boolean counts() {
        return after > 0;
    }

    /** Whether code has blocked the key. */
    public boolean isBlocked() {
        return blockedFor.getAsLong() > 0;
    }

    /**
     * The operation on the key of the penalty, which follows those of the limits.
     *
     * @param limits the number of limits of the policy
     */
    public Operation apply(OperationKind kind, int limits) {
        return new PenaltyOperation(kind, limits, kind == OperationKind.PEEK ? 0 : after, LimitUsage.micros(within),
                LimitUsage.micros(block), LimitUsage.micros(maxBlock), blockedFor);
    }
}
