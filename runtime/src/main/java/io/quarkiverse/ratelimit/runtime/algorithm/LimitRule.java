package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/** Creates the operations of one limit. Each algorithm has its own implementation. All times are microseconds. */
public interface LimitRule {

    /** Highest number of permits that a state counts, so that more calls cannot exceed the exact numbers of Lua. */
    long MAX_PERMITS_KEPT = 1_000_000_000_000_000L;

    Limit limit();

    /** Returns the layout of this limit's keys. */
    KeyLayout layout();

    /** Returns how long it takes until all permits are available: the fill time of a bucket, or the window; 0 if unknown. */
    default long fillTime(long now) {
        return LimitUsage.micros(limit().period());
    }

    /** Acquires permits, or peeks, as the call requests. */
    Operation acquire(PermitRequest requested);

    /**
     * Charges what comes back to a bucket within a time, however much it is. One that is empty before is empty then, too.
     *
     * @throws UnsupportedOperationException if this is no bucket
     */
    default Operation chargeRefill(long micros) {
        throw new UnsupportedOperationException();
    }

    /**
     * Refunds permits of a decision, as far as they still count.
     *
     * @param decided the state of this limit in the decision
     * @param at when it was decided
     * @param id of the call that acquired them
     */
    Operation refund(LimitState decided, long at, long cost, long id);

    /** Creates the reply to the operation that acquires, as {@link Operation#reply}. */
    UsageReply reply(long granted, long first, long second, long third, long fourth);

    /**
     * Decides about permits like the script function, as {@link Operation#decide}, except that the result of a call that only
     * peeks may write.
     */
    OperationResult decide(PermitRequest requested, long cost, Object stored, long now);

    /** Returns whether a call holds its permits until it ends, so that they do not come back by themselves. */
    default boolean holdsPermits() {
        return limit().leaseTime() != null;
    }

    /** Returns whether a call can acquire permits that come back later, and be delayed until then. */
    default boolean mayWait() {
        return limit().algorithm().has("max-wait");
    }

    /** Returns whether a permit can be acquired before the call that uses it, and refunded exactly. */
    default boolean supportsPrefetch() {
        return limit().algorithm().has("prefetch") && limit().maxWait().isZero();
    }

    /** A store's reply to an operation that acquires permits or peeks: what it grants, and what was in use before it. */
    interface UsageReply extends LimitReply {

        /**
         * Returns the state of the limit after the decision.
         *
         * @param name the limit's name
         * @param now when it was decided, microseconds since the epoch
         * @param charged whether the call was finally charged
         */
        LimitState state(String name, PermitRequest requested, long now, boolean charged);

        /** Returns the state that a peek would find this many microseconds later if no other call was counted since. */
        default LimitState later(LimitState decided, long micros, long now, boolean charged) {
            Object stored = toOne(1, charged ? granted() : 0, now).stored(now);
            if (stored == null) {
                return decided;
            }
            UsageReply peeked = (UsageReply) rule().decide(PermitRequest.PEEK, 1, stored, now + micros).reply();
            LimitState found = peeked.state(decided.limit(), PermitRequest.PEEK, now + micros, false);
            return LimitUsage.later(decided, micros, found.remaining(), found.nextPermitAfter());
        }

        /** Returns the rule that has decided. */
        LimitRule rule();

        @Override
        default UsageReply toOne(long cost, long charged, long now) {
            return this;
        }

        /**
         * Returns what a key holds if it gives this reply to a call that is not charged; {@code null} if calls hold their
         * permits.
         */
        default Object stored(long now) {
            return null;
        }
    }

    /**
     * Lists the layouts of keys. Keys contain the code, so that instances with different layouts count side by side. Another
     * version of a layout gets a new constant. The earlier one stays, so that a reset also removes its keys.
     */
    enum KeyLayout {

        TOKEN_BUCKET("tb1"),
        INTERVAL_BUCKET("ti1"),
        FIXED_WINDOW("fw1"),
        SLIDING_WINDOW("sw1"),
        SLIDING_LOG("sl1"),
        CONCURRENCY("co1");

        /** Two letters for the algorithm, and the version. */
        public final String code;

        KeyLayout(String code) {
            this.code = code;
        }
    }
}
