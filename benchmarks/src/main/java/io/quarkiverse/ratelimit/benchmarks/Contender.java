package io.quarkiverse.ratelimit.benchmarks;

import java.util.function.ToLongFunction;

/** One way to limit rates with Redis, used as an application would. */
interface Contender extends AutoCloseable {

    String name();

    /**
     * Whether it is a limiter of another project that charges a call before it allows it. Ratios are to the fastest of these.
     */
    default boolean isPeer() {
        return true;
    }

    /**
     * Limits one key for each of these rates from now on.
     *
     * @param prefix begins their names, none of which was used before
     */
    void limit(String prefix, Rate[] rates) throws Exception;

    /**
     * Decides calls for one key after the other until the deadline.
     *
     * @param inFlight how many at the same time
     */
    Tally run(long deadline, int inFlight) throws Exception;

    /**
     * The number of commands that it has sent.
     *
     * @param calls how often Redis has run a command, including commands of scripts
     */
    default long sent(ToLongFunction<String> calls) {
        return calls.applyAsLong("evalsha") + calls.applyAsLong("eval");
    }

    @Override
    default void close() throws Exception {
    }
}
