package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Weighted;

/** The state under a key, which its part's lock guards. */
final class State {

    private Object stored;
    private long expiresAt;
    /** 0 for a state that was removed. */
    private int weight;

    Object stored() {
        return stored;
    }

    long expiresAt() {
        return expiresAt;
    }

    int weight() {
        return weight;
    }

    /** Whether the state was removed after it was looked up. */
    boolean isForgotten() {
        return weight == 0;
    }

    void become(Object other, long otherExpiresAt) {
        stored = other;
        expiresAt = otherExpiresAt;
        weight = other instanceof Weighted growing ? 1 + growing.weight() : 1;
    }

    void forget() {
        weight = 0;
    }
}
