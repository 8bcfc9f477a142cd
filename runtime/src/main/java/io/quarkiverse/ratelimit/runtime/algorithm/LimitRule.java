package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Counts by an algorithm with the numbers of one limit. All times are microseconds. */
public interface LimitRule {

    /** How many numbers a store answers per limit: the permits that it grants, 0 when it refuses, then four of its state. */
    int WIDTH = 5;

    /** Where the first limit's numbers begin in an answer, after the time. */
    int FIRST = 1;

    static LimitRule of(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> new TokenBucket(limit);
            case SLIDING_WINDOW -> new SlidingWindow(limit);
            case SLIDING_LOG -> new SlidingLog(limit);
            case FIXED_WINDOW -> new FixedWindow(limit);
            case CONCURRENCY -> new Concurrency(limit);
        };
    }

    /** The numbers it counts by. */
    Limit limit();

    /** In what time its permits come back, as of now: a bucket's fill time, else the window; 0 where nobody knows. */
    long fillTime(long now);

    /** Takes permits, or says how it stands. */
    Act take(Call call);

    /**
     * Gives back what a decision took, as far as it still counts.
     *
     * @param taken the limit's part of the decision
     * @param at when it was decided
     * @param cost how many of the permits to give back
     * @param id the id of the call that took them
     */
    Act giveBack(LimitState taken, long at, long cost, long id);

    /**
     * How the limit stands after a decision.
     *
     * @param name the limit's name
     * @param reply what the store answered, this limit's {@value #WIDTH} numbers beginning at {@code at}
     * @param now when it was decided
     * @param charged whether the call was charged in the end
     */
    LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged);
}
