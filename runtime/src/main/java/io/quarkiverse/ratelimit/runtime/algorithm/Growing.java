package io.quarkiverse.ratelimit.runtime.algorithm;

/** What an algorithm stores in memory that grows with the permits in use. */
public interface Growing {

    /** How much memory it takes, in parts of about 200 bytes, as much as a key with anything else takes. */
    int weight();
}
