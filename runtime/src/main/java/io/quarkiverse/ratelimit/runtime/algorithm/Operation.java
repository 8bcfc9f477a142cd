package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;

/** An operation on one key. A script function implements it for Redis, {@link #decide} for the store in memory. */
public interface Operation {

    /** The file that defines the script function. */
    ScriptFile function();

    /** All files that the function needs, one {@link ScriptFile#bit} each. */
    default long files() {
        return function().files();
    }

    /** Whether it can run as one with several equal ones, as {@link LimitReply#toOne} gives the reply to each of them. */
    default boolean isMergeable() {
        return false;
    }

    /** The cost of the call; 0 if it does not matter. */
    default long cost() {
        return 0;
    }

    /** The mergeable operation for this number of calls. It allows as many of them as possible. */
    default Operation times(int calls) {
        return this;
    }

    /** Whether it writes nothing if no other operation of its request writes. */
    default boolean writesOnlyWithOthers() {
        return false;
    }

    /**
     * The packed arguments of the function. The caller must not change the array.
     *
     * @param now the estimated time of the store, microseconds since the epoch
     */
    byte[] arguments(long now);

    /**
     * Creates the reply from the permits granted, 0 if the limit denies, and the four numbers that the header of the function's
     * file defines.
     */
    default LimitReply reply(long granted, long first, long second, long third, long fourth) {
        return new LimitReply.Done(granted);
    }

    /**
     * Decides like the script function.
     *
     * @param stored the value stored under the key, or {@code null} if there is none
     * @param now microseconds since the epoch
     * @param cost replaces the cost of this operation and is at most that; 0 to keep the cost of this operation
     * @param before the replies to the operations before this one, in the order of the request, for a penalty
     */
    OperationResult decide(Object stored, long now, long cost, List<LimitReply> before);
}
