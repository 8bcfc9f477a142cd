package io.quarkiverse.ratelimit.runtime.algorithm;

/** A state in memory that grows with the permits in use. */
public interface Weighted {

    /** The memory that the state takes, in units of about 200 bytes: the size of a key with a fixed-size state. */
    int weight();
}
