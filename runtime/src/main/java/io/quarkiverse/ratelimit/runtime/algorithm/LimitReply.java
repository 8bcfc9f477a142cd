package io.quarkiverse.ratelimit.runtime.algorithm;

import java.time.Duration;

import io.quarkiverse.ratelimit.LimitState;

/** A store's reply for one limit. */
public interface LimitReply {

    /** The number of permits granted; 0 if the limit denies. */
    long granted();

    /** From the reply to a merged operation, the part of the first call, which has this cost. */
    default LimitReply forFirst(long cost, long now) {
        return this;
    }

    /** From the reply to a merged operation, the rest for the other calls, once the first was charged this cost. */
    default LimitReply afterCharge(long cost) {
        return this;
    }

    /** The reply to an operation that reads no usage, such as a refund. */
    record Done(long granted) implements LimitReply {

        static final Done ALLOWED = new Done(1);
    }

    /** A store's reply to an operation that acquires permits or peeks: what it grants, and what was in use before it. */
    interface UsageReply extends LimitReply {

        /**
         * The state of the limit after the decision.
         *
         * @param name the limit's name
         * @param requested what was requested
         * @param now when it was decided, microseconds since the epoch
         * @param charged whether the call was finally charged
         */
        LimitState state(String name, PermitRequest requested, long now, boolean charged);

        /**
         * The state of the limit some time after the decision, as if no other call was counted since.
         *
         * @param micros how much later
         */
        default LimitState stateAfter(long micros, String name, PermitRequest requested, long now, boolean charged) {
            LimitState before = state(name, requested, now, charged);
            if (before.resetAfter().isZero()) {
                return before;
            }
            if (micros >= LimitUsage.micros(before.resetAfter())) {
                return new LimitUsage(before.limit(), before.definition(), before.allowed(), before.permits(), before.permits(),
                        Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
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

        /**
         * What a key holds when it replies so to a call that is not charged, for {@link Operation#decide}. {@code null} where
         * calls hold their permits.
         *
         * @param now when it was decided, microseconds since the epoch
         */
        default Object stored(long now) {
            return null;
        }

        @Override
        UsageReply forFirst(long cost, long now);

        @Override
        UsageReply afterCharge(long cost);
    }
}
