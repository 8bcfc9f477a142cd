package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/**
 * Counts by an algorithm with the numbers of one limit: names the script's arguments for a call, reads its answer, and
 * decides the same way in memory. All times are microseconds.
 */
public interface LimitRule {

    /** How many numbers a store answers per limit: whether it admits the call (1 or 0), then {@value #NUMBERS}. */
    int WIDTH = 4;
    /** How many numbers an algorithm says of its state. */
    int NUMBERS = 3;

    static LimitRule of(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> new TokenBucket(limit);
        };
    }

    /** How long an empty limit takes until it is full. */
    long fillTime();

    /** The packed arguments of the algorithm's script for a call that costs so much. */
    byte[] arguments(long cost);

    /**
     * How the limit stands after a decision.
     *
     * @param name the limit's name
     * @param reply what the store answered, this limit's {@value #WIDTH} numbers beginning at {@code at}
     * @param charged whether the call was charged in the end
     */
    LimitState state(String name, long[] reply, int at, long cost, boolean charged);

    /** Decides as the script does; {@code stored} is what the last verdict stored, or {@code null} for a fresh key. */
    Verdict decide(long[] stored, long now, long cost);

    /**
     * What an algorithm says of a call before other limits are heard.
     *
     * @param admitted whether it admits the call
     * @param stored what to store if the call is charged, or, when it is refused, what repairs a state that is out of
     *        date; else {@code null}
     * @param expiresAt when what is stored no longer matters
     * @param first the first of the numbers that the script would answer
     */
    record Verdict(boolean admitted, long[] stored, long expiresAt, long first, long second, long third) {
    }
}
