package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;
import java.util.function.LongSupplier;

/** An operation on one key. A script function implements it for Redis, {@link #decide} for the store in memory. */
public interface Operation {

    /** How many numbers a script function returns: the permits granted, 0 if it denies, then four of its own. */
    int NUMBERS = 5;

    /** The name of the file that holds the function, without {@code .lua}. {@code algorithms} is always included. */
    String script();

    /** All files that the function needs, its own last. A file whose name continues another name shares its locals. */
    default List<String> scripts() {
        return List.of(script());
    }

    /** The name of the function; by default the name of the file. */
    default String function() {
        return script();
    }

    /** Whether the operation is rare. Only scripts for rare operations create their functions, so others run faster. */
    default boolean isRare() {
        return false;
    }

    /** Merges several equal calls into one; {@code null} if each must be sent alone. */
    default Mergeable merging() {
        return null;
    }

    /**
     * The packed arguments of the function. The caller must not change the array.
     *
     * @param now the estimated time of the store, microseconds since the epoch
     */
    byte[] arguments(long now);

    /** Reads the {@value #NUMBERS} numbers of the script function. */
    default LimitReply reply(LongSupplier numbers) {
        return LimitReply.Done.read(numbers);
    }

    /**
     * Decides like the script function.
     *
     * @param stored the value stored under the key, or {@code null} if there is none
     * @param now microseconds since the epoch
     * @param cost replaces the cost of this operation and is at most that; 0 to keep the cost of this operation
     */
    OperationResult decide(Object stored, long now, long cost);
}
