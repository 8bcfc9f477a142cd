package io.quarkiverse.ratelimit.runtime.algorithm;

/** Runs several equal calls as one operation, and derives the reply that each of them would have got alone. */
public interface Mergeable {

    /** The cost of each of these calls. */
    long cost();

    /** The operation for this number of calls. It allows as many of them as possible. */
    Operation times(int calls);

    /**
     * Turns the reply to all calls into the reply to the first one.
     *
     * @param numbers the reply; the {@value LimitRule#WIDTH} numbers of this limit begin at {@code at}
     * @param now when it was decided, microseconds since the epoch
     */
    void first(long[] numbers, int at, long now);

    /** Turns the reply to all calls into the reply to the others, if the first one was charged. */
    void others(long[] numbers, int at);
}
