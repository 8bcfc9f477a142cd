package io.quarkiverse.ratelimit.runtime.algorithm;

/**
 * What a call asks of every limit of a policy.
 *
 * @param cost how many permits, 1 to 10<sup>9</sup>
 * @param id tells the call from all others
 */
public record Call(long cost, Manner manner, long id) {

    /** A call whose id does not matter. */
    public static Call of(long cost) {
        return new Call(cost, Manner.TAKE, 0);
    }

    /** The least that must be there for the call to be admitted. */
    long least() {
        return manner == Manner.UP_TO ? 1 : cost;
    }

    /** How many permits are granted of so many asked for, where so many are available. */
    long granted(long asked, long available) {
        if (asked <= available || manner == Manner.CHARGE) {
            return asked;
        }
        return manner == Manner.UP_TO ? Math.max(0, available) : 0;
    }
}
