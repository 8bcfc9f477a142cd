package io.quarkiverse.ratelimit.runtime.algorithm;

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
}
