package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;

/**
 * What a call asks of every limit of a policy.
 *
 * @param cost how many permits, 1 to 10<sup>9</sup>
 * @param least the least that must be there for the call to be admitted; it gets whole multiples of that
 * @param id tells the call from all others
 * @param refundable whether it may well be refunded, so that it is worth telling it from others that count together
 */
public record Call(long cost, long least, Manner manner, long id, boolean refundable) {

    public Call(long cost, long least, Manner manner, long id) {
        this(cost, least, manner, id, false);
    }

    public Call(long cost, Manner manner, long id) {
        this(cost, manner == Manner.UP_TO ? 1 : cost, manner, id);
    }

    /** A call whose id does not matter. */
    public static Call of(long cost) {
        return new Call(cost, Manner.TAKE, 0);
    }

    /** The same, which may well be refunded. */
    public Call asRefundable() {
        return refundable ? this : new Call(cost, least, manner, id, true);
    }

    /** The same, told from all others by this. */
    public Call withId(long id) {
        return new Call(cost, least, manner, id, refundable);
    }

    /** So many of this call as one, or one more than there can be permits for. */
    Call times(int calls) {
        return new Call(Math.min(calls, Limit.MAX_PERMITS / cost + 1) * cost, cost, Manner.UP_TO, id, refundable);
    }

    /** How many permits are granted of so many asked for, where so many are available. */
    long granted(long asked, long available) {
        if (asked <= available || manner == Manner.CHARGE) {
            return asked;
        }
        return available < least ? 0 : available - available % least;
    }
}
