package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** An operation on one key. A script function implements it for Redis, {@link #decide} for the store in memory. */
public interface Operation {

    /** Returns the file that defines the script function. */
    ScriptFile function();

    /** Returns all files that the function needs, one {@link ScriptFile#bit} each. */
    default long files() {
        return function().files();
    }

    /** Returns whether equal operations can run as one. {@link LimitReply#toOne} then gives the reply to each of them. */
    default boolean isMergeable() {
        return false;
    }

    /** Returns the cost of the call; 0 if it does not matter. */
    default long cost() {
        return 0;
    }

    /** Returns the mergeable operation for this number of calls. It allows as many of them as possible. */
    default Operation times(int calls) {
        return this;
    }

    /**
     * Returns the packed arguments of the function. The caller must not change the array.
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

    /**
     * An operation that only changes or checks a key, such as a refund. It reads no usage, and is never merged.
     *
     * @param packed packs the arguments of the function
     * @param decision decides by the stored value and the time, as {@link Operation#decide}
     */
    record PlainOperation(ScriptFile function, Supplier<byte[]> packed, BiFunction<Object, Long, OperationResult> decision)
            implements
                Operation {

        /** Removes a key. */
        public static final Operation RESET = new PlainOperation(ScriptFile.RESET, () -> new byte[0],
                (stored, now) -> OperationResult.allowed(() -> null, now));

        @Override
        public byte[] arguments(long now) {
            return packed.get();
        }

        @Override
        public OperationResult decide(Object stored, long now, long cost, List<LimitReply> before) {
            return decision.apply(stored, now);
        }
    }
}
