package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult.Weighted;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/** The state under a key. Only a thread that has locked it reads or changes it. */
final class State implements Comparable<State> {

    private static final int CHANGES_PER_SWEEP = 16;

    private final LimitKey key;
    private Object stored;
    private long expiresAt;
    private int weight;
    private int changes;
    private boolean removed;

    State(LimitKey key) {
        this.key = key;
    }

    LimitKey key() {
        return key;
    }

    /** {@code null} for none. */
    Object stored() {
        return stored;
    }

    long expiresAt() {
        return expiresAt;
    }

    /** 0 if nothing is stored. */
    int weight() {
        return weight;
    }

    /** Whether it was removed from the map, after it was looked up. */
    boolean isRemoved() {
        return removed;
    }

    void become(Object other, long otherExpiresAt) {
        stored = other;
        expiresAt = otherExpiresAt;
        weight = other == null ? 0 : other instanceof Weighted growing ? 1 + growing.weight() : 1;
    }

    void remove() {
        stored = null;
        weight = 0;
        removed = true;
    }

    /** Whether this change must sweep another state: only some changes do, as it takes time. */
    boolean isDueToSweep() {
        return ++changes % CHANGES_PER_SWEEP == 0;
    }

    /** The order in which threads lock several states, so that none blocks another for good. */
    @Override
    public int compareTo(State other) {
        return key.compareTo(other.key);
    }
}
