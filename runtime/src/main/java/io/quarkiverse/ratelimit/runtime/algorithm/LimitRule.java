package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Creates the operations of one limit and reads their replies. All times are microseconds. */
public interface LimitRule {

    /** How many numbers a store replies per limit: the permits granted, 0 if it denies, then four numbers of its state. */
    int WIDTH = 5;

    /** Where the numbers of the first limit begin in a reply, after the time. */
    int FIRST = 1;

    static LimitRule of(Limit limit) {
        LimitRule rule = switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> new TokenBucket(limit);
            case SLIDING_WINDOW -> new SlidingWindow(limit);
            case SLIDING_LOG -> new SlidingLog(limit);
            case FIXED_WINDOW -> new FixedWindow(limit);
            case CONCURRENCY -> new Concurrency(limit);
        };
        return limit.counts() == Counts.CALLS ? new CallCount(rule) : rule;
    }

    /** The limit that this rule enforces. */
    Limit limit();

    /** How long it takes now until all permits come back: the fill time of a bucket, or the window; 0 if unknown. */
    long fillTime(long now);

    /** Acquires permits, or peeks, as the call requests. */
    Operation take(Call call);

    /**
     * Refunds the permits of a decision, as far as they still count.
     *
     * @param taken the state of this limit in the decision
     * @param at when it was decided
     * @param cost how many of the permits to refund
     * @param id the id of the call that acquired them
     */
    Operation refund(LimitState taken, long at, long cost, long id);

    /**
     * The state of the limit after a decision.
     *
     * @param name the limit's name
     * @param reply the reply of the store; the {@value #WIDTH} numbers of this limit begin at {@code at}
     * @param now when it was decided
     * @param charged whether the call was finally charged
     */
    LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged);
}
