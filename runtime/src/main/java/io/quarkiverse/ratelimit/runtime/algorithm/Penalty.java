package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

/**
 * Blocks a key that is denied too often. The scripts of {@code penalty} explain the algorithm and implement the same.
 *
 * @param after how many denials begin a block; 0 if only code blocks keys
 * @param within the span of these denials
 * @param block how long the first block lasts
 * @param maxBlock the longest block; also how long after a block the next one still lasts twice as long
 */
public record Penalty(int after, Duration within, Duration block, Duration maxBlock) {

    /** Counts no denials, but denies the calls of a key that code has blocked. */
    public static final Penalty BY_CODE = new Penalty(0, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public static final int MAX_AFTER = 1_000;

    /** Whether denials count. */
    public boolean counts() {
        return after > 0;
    }

    /**
     * The operation on the key of the penalty, which follows those of the limits.
     *
     * @param limits the number of limits of the policy
     */
    public Operation apply(OperationKind kind, int limits) {
        return new PenaltyOperation(kind, limits, kind == OperationKind.PEEK ? 0 : after, within.toNanos() / 1_000,
                block.toNanos() / 1_000, maxBlock.toNanos() / 1_000);
    }
}
