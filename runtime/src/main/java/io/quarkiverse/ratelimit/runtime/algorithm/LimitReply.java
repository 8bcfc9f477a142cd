package io.quarkiverse.ratelimit.runtime.algorithm;

/** A store's reply for one limit. */
public interface LimitReply {

    /** Number of permits in the reply of a limit that was not asked, because an earlier policy of its chain has decided. */
    long NOT_ASKED = -1;

    /** Returns the number of permits granted; 0 if the limit denies, {@link #NOT_ASKED} if it was not asked. */
    long granted();

    /**
     * Returns the reply to one of several calls that the store has decided together.
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
}
