package io.quarkiverse.ratelimit.runtime.algorithm;

/** Does what several equal calls ask for at once, and tells each of them what it would have been answered by itself. */
public interface Merging {

    /** What each of these calls costs. */
    long cost();

    /** The act of so many calls, of which it admits as many as it can. */
    Act times(int calls);

    /**
     * Makes the answer to the first call out of the answer to all of them.
     *
     * @param numbers what was answered, this limit's {@value LimitRule#WIDTH} beginning at {@code at}
     * @param now when it was decided, microseconds since the epoch
     */
    void first(long[] numbers, int at, long now);

    /** Makes the answer to the other calls out of the answer to all of them, where the first was charged. */
    void others(long[] numbers, int at);
}
