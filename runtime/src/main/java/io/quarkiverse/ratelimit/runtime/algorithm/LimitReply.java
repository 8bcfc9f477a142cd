package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.LimitState;

/** A store's reply for one limit. */
public interface LimitReply {

    /** The number of permits granted; 0 if the limit denies. */
    long granted();

    /**
     * The reply to one of several calls that the store has decided together.
     *
     * @param cost of this call
     * @param charged the permits charged for the calls before it
     */
    default LimitReply toOne(long cost, long charged, long now) {
        return this;
    }

    /** The reply to an operation that reads no usage, such as a refund. */
    record Done(long granted) implements LimitReply {
    }

    /** A store's reply to an operation that acquires permits or peeks: what it grants, and what was in use before it. */
    interface UsageReply extends LimitReply {

        /**
         * The state of the limit after the decision.
         *
         * @param name the limit's name
         * @param now when it was decided, microseconds since the epoch
         * @param charged whether the call was finally charged
         */
        LimitState state(String name, PermitRequest requested, long now, boolean charged);

        /**
         * A state that is decided this many microseconds later, as if no other call was counted since: what a peek finds then.
         */
        default LimitState later(LimitState decided, long micros, long now, boolean charged) {
            Object stored = toOne(1, charged ? granted() : 0, now).stored(now);
            if (stored == null) {
                return decided;
            }
            UsageReply peeked = (UsageReply) rule().decide(PermitRequest.PEEK, 1, stored, now + micros).reply();
            LimitState found = peeked.state(decided.limit(), PermitRequest.PEEK, now + micros, false);
            return LimitUsage.later(decided, micros, found.remaining(), found.nextPermitAfter());
        }

        /** The rule that has decided. */
        LimitRule rule();

        @Override
        default UsageReply toOne(long cost, long charged, long now) {
            return this;
        }

        /** What a key holds when it replies so to a call that is not charged; {@code null} where calls hold their permits. */
        default Object stored(long now) {
            return null;
        }
    }
}
