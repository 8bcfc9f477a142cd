package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.List;

/** Something done to one key, twice told: to Redis by a function of a script, to a store in memory by this class. */
public interface Act {

    /** The name of the file that holds the function, without its ending; {@code algorithms} is always there. */
    String script();

    /** The files that the function needs, the one that holds it last; those that continue its name share what is local. */
    default List<String> scripts() {
        return List.of(script());
    }

    /** The name of the function; unless it says otherwise that of the file. */
    default String function() {
        return script();
    }

    /** Whether it is done rarely: then it takes longer, so that all others take less. */
    default boolean isRare() {
        return false;
    }

    /** Does it for several equal calls at once; {@code null} where each must be asked by itself. */
    default Merging merging() {
        return null;
    }

    /**
     * The function's packed arguments; not to be changed.
     *
     * @param now about what the time is where it is decided, microseconds since the epoch
     */
    byte[] arguments(long now);

    /**
     * Does as the function does.
     *
     * @param stored what the last verdict stored under the key, or {@code null} for none
     * @param now microseconds since the epoch
     * @param cost asked for in place of the act's own, which is at least that; 0 for the act's own
     */
    Verdict decide(Object stored, long now, long cost);
}
