package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;

/** Creates the operations of one limit. Each algorithm has its own implementation. All times are microseconds. */
public interface LimitRule {

    /** The most permits that a state counts, so that more calls cannot exceed the exact numbers of Lua. */
    long MAX_PERMITS_KEPT = 1_000_000_000_000_000L;

    Limit limit();

    /** How long it takes now until all permits come back: the fill time of a bucket, or the window; 0 if unknown. */
    long fillTime(long now);

    /** Acquires permits, or peeks, as the call requests. */
    Operation acquire(PermitRequest requested);

    /**
     * Refunds permits of a decision, as far as they still count.
     *
     * @param decided the state of this limit in the decision
     * @param at when it was decided
     * @param id of the call that acquired them
     */
    Operation refund(LimitState decided, long at, long cost, long id);

    /** The reply to the operation that acquires, as {@link Operation#reply}. */
    UsageReply reply(long granted, long first, long second, long third, long fourth);

    /**
     * Decides about permits like the script function, as {@link Operation#decide}, except that the result of a call that only
     * peeks may write.
     */
    OperationResult decide(PermitRequest requested, long cost, Object stored, long now);

    /** Whether a call holds its permits until it ends, so that they do not come back by themselves. */
    default boolean holdsPermits() {
        return limit().leaseTime() != null;
    }

    /** Whether a call can acquire permits that come back only later, and be delayed until then. */
    default boolean mayWait() {
        return limit().algorithm().has("max-wait");
    }

    /** Whether a permit can be acquired before the call that uses it, and refunded exactly. */
    default boolean supportsPrefetch() {
        return limit().algorithm().has("prefetch") && limit().maxWait().isZero();
    }
}
