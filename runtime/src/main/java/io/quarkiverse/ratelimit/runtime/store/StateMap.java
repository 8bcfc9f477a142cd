package io.quarkiverse.ratelimit.runtime.store;

import java.util.concurrent.atomic.LongAdder;

/**
 * Keeps states by key in bounded memory. It has several parts with a lock each, so that threads with different callers
 * do not wait for each other. All states of a caller are in the same part. Adding a state sweeps its part and one
 * other in turn, changing states sweeps some. When the memory is full, the largest part evicts a state, so that no caller can
 * take the share of the
 * other parts. No thread waits for a second lock there.
 */
final class StateMap {

    /** The capacity in keys, about 50 MB; keys with long logs or many held permits count for more. */
    static final int MAX_WEIGHT = 200_000;

    /** As many as a set of them has bits. */
    private static final int PARTS = Long.SIZE;
    private static final int CHANGES_PER_SWEEP = 16;

    private final StatePart[] parts = new StatePart[PARTS];
    private final LongAdder weight = new LongAdder();
    private final boolean forgetting;

    StateMap() {
        this(true);
    }

    /** @param forgetting whether the map sweeps and evicts states by itself */
    StateMap(boolean forgetting) {
        this.forgetting = forgetting;
        for (int i = 0; i < PARTS; i++) {
            parts[i] = new StatePart(weight, i);
        }
    }

    /** The index of the part with a caller's states. */
    static int indexOf(String caller) {
        int hash = caller.hashCode();
        return (hash ^ hash >>> 16) & PARTS - 1;
    }

    StatePart part(int index) {
        return parts[index];
    }

    int size() {
        int size = 0;
        for (StatePart part : parts) {
            size += part.size();
        }
        return size;
    }

    /** The stored value; {@code null} for none, or when it has expired. */
    Object stored(State state, long now) {
        return state == null || forgetting && state.expiresAt() <= now ? null : state.stored();
    }

    /**
     * Stores a value under a key.
     *
     * @param part has the caller's states; this thread holds its lock
     * @param state the current state under the key, {@code null} for none
     * @param expiresAt when the value expires, in microseconds
     */
    void keep(StatePart part, StateKey key, State state, Object stored, long expiresAt, long now) {
        boolean isNew = part.put(key, state, stored, expiresAt);
        if (!forgetting) {
            return;
        }
        if (isNew) {
            part.sweep(now);
        }
        if (isNew || part.countChange() % CHANGES_PER_SWEEP == 0) {
            parts[part.nextSwept(PARTS)].sweepIfFree(now);
        }
        if (part.publishWeight()) {
            while (weight.sum() > MAX_WEIGHT) {
                if (!largest().makeRoomIfFree()) {
                    part.makeRoomIfFree();
                }
            }
        }
    }

    private StatePart largest() {
        StatePart largest = parts[0];
        for (StatePart part : parts) {
            if (part.weight() > largest.weight()) {
                largest = part;
            }
        }
        return largest;
    }

    /** Forgets all states at once, so that no call is forgotten in half. */
    void forgetAll() {
        for (StatePart part : parts) {
            part.lock();
        }
        for (StatePart part : parts) {
            part.forgetAll();
            part.unlock();
        }
    }
}
