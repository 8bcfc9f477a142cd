package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Creates the operations of one limit. All times are microseconds. */
public interface LimitRule {

    /** The most permits that a state counts, so that more calls cannot exceed the exact numbers of Lua. */
    long MAX_PERMITS_KEPT = 1_000_000_000_000_000L;

    static LimitRule of(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> new TokenBucket(limit);
            case SLIDING_WINDOW -> new SlidingWindow(limit);
            case SLIDING_LOG -> new SlidingLog(limit);
            case FIXED_WINDOW -> new FixedWindow(limit);
            case CONCURRENCY -> new Concurrency(limit);
        };
    }

    /** The limit that this rule enforces. */
    Limit limit();

    /** How long it takes now until all permits come back: the fill time of a bucket, or the window; 0 if unknown. */
    long fillTime(long now);

    /** Acquires permits, or peeks, as the call requests. */
    Operation acquire(PermitRequest requested);

    /**
     * Refunds the permits of a decision, as far as they still count.
     *
     * @param decided the state of this limit in the decision
     * @param at when it was decided
     * @param cost how many of the permits to refund
     * @param id the id of the call that acquired them
     */
    Operation refund(LimitState decided, long at, long cost, long id);
}
