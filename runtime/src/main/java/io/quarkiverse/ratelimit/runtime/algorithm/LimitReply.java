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

        /** The state of the limit this many microseconds after the decision, as if no other call was counted since. */
        default LimitState stateAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            LimitState before = state(name, requested, now, charged);
            if (before.resetAfter().isZero()) {
                return before;
            }
            if (micros >= LimitUsage.micros(before.resetAfter())) {
                return LimitUsage.later(before, micros, before.permits());
            }
            return micros < LimitUsage.micros(before.nextPermitAfter()) ? LimitUsage.later(before, micros, before.remaining())
                    : refilledAfter(micros, name, requested, now, charged);
        }

        /**
         * Like {@link #stateAfter} at a time when some permits have come back since the decision, but not all. There is no such
         * time if all permits come back together, or if it is unknown when they come back.
         */
        default LimitState refilledAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            return state(name, requested, now, charged);
        }

        /** What a key holds when it replies so to a call that is not charged; {@code null} where calls hold their permits. */
        default Object stored(long now) {
            return null;
        }
    }
}
