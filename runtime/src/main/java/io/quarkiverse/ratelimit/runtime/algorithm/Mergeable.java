package io.quarkiverse.ratelimit.runtime.algorithm;

/** An operation that can run as one with several equal ones, as {@link UsageReply} gives the reply to each of them. */
public interface Mergeable {

    /** The cost of each of these calls; 0 if it does not matter. */
    long cost();

    /** The operation for this number of calls. It allows as many of them as possible. */
    Operation times(int calls);
}
