package io.quarkiverse.ratelimit.runtime.algorithm;

/** A store's reply for one limit. */
public interface LimitReply {

    /** The number of permits granted; 0 if the limit denies. */
    long granted();

    /** The reply to the first of several merged calls of this cost. This is the reply to all of them. */
    default LimitReply forFirst(long cost, long now) {
        return this;
    }

    /** The reply to the other merged calls, once the first was charged this cost. */
    default LimitReply afterCharge(long cost) {
        return this;
    }

    /** The reply to an operation that reads no usage, such as a refund. */
    record Done(long granted) implements LimitReply {

        static final Done ALLOWED = new Done(1);
    }
}
