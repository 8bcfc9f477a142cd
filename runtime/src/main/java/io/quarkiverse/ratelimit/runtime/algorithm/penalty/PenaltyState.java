package io.quarkiverse.ratelimit.runtime.algorithm.penalty;

import java.util.Arrays;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;

/**
 * The state of a penalty. All times are microseconds.
 *
 * @param began when the last block began
 * @param penalty the length of the last block; 0 if there was none
 * @param denials the times of the last denials, oldest first
 */
record PenaltyState(long began, long ends, long penalty, long[] denials) implements OperationResult.Weighted {

    /** This many denials take as much memory as a key. */
    private static final int DENIALS_PER_WEIGHT = 25;
    private static final PenaltyState NONE = new PenaltyState(0, 0, 0, new long[0]);

    static PenaltyState of(Object stored) {
        return stored instanceof PenaltyState state ? state : NONE;
    }

    /** The same state with no time in the future. */
    PenaltyState asOf(long now) {
        long[] past = denials.length == 0 || denials[denials.length - 1] <= now ? denials
                : Arrays.stream(denials).map(at -> Math.min(at, now)).toArray();
        return now < ends && now < began ? new PenaltyState(now, now + ends - began, penalty, past)
                : new PenaltyState(began, ends, penalty, past);
    }

    /** How long the key is blocked; 0 if it is not. */
    long blockedFor(long now) {
        return Math.max(0, ends - now);
    }

    /** This state after a denial that counts. */
    PenaltyState denied(long now, PenaltyOperation by) {
        int earlier = by.after() - 1;
        boolean blocks = earlier == 0
                || denials.length >= earlier && now < denials[denials.length - earlier] + by.within();
        if (blocks) {
            boolean isFurther = penalty > 0 && now < ends + by.maxBlock();
            long length = isFurther ? Math.min(2 * penalty, by.maxBlock()) : by.block();
            return new PenaltyState(now, now + length, length, NONE.denials);
        }
        long[] all = Arrays.copyOf(denials, denials.length + 1);
        all[denials.length] = now;
        return new PenaltyState(began, ends, penalty, Arrays.copyOfRange(all, Math.max(0, all.length - earlier), all.length));
    }

    /** When the state no longer matters. */
    long expiresAt(PenaltyOperation by) {
        return Math.max(ends + (penalty > 0 ? by.maxBlock() : 0),
                denials.length > 0 ? denials[denials.length - 1] + by.within() : 0);
    }

    @Override
    public int weight() {
        return denials.length / DENIALS_PER_WEIGHT;
    }
}
