package io.quarkiverse.ratelimit.runtime.store;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.Weighted;

/**
 * Keeps states by key in bounded memory. Adding or changing states also sweeps a few others, and removes those that
 * have expired. When the memory is full, a few states are compared and the one that expires soonest is evicted, as it
 * is the smallest loss. Not thread-safe.
 */
final class StateMap {

    /** The capacity in keys, about 50 MB; keys with long logs or many held permits count for more. */
    static final int MAX_WEIGHT = 200_000;

    /** More than one, so that the number of expired states falls while others are added. */
    private static final int LOOKS_PER_KEY = 2;
    private static final int CHANGES_PER_LOOK = 16;
    private static final int CANDIDATES = 8;

    private final Map<StateKey, State> all = new LinkedHashMap<>();
    private final boolean forgetting;
    private long weight;
    private long changes;

    StateMap() {
        this(true);
    }

    /** @param forgetting whether the map sweeps and evicts states by itself */
    StateMap(boolean forgetting) {
        this.forgetting = forgetting;
    }

    int size() {
        return all.size();
    }

    /** The state under a key, which may have expired; {@code null} for none. */
    State of(StateKey key) {
        return all.get(key);
    }

    /** The stored value; {@code null} for none, or when it has expired. */
    Object stored(State state, long now) {
        return state == null || forgetting && state.expiresAt <= now ? null : state.stored;
    }

    /**
     * Stores a value under a key.
     *
     * @param state the current state under the key, {@code null} for none
     * @param expiresAt when the value expires, in microseconds
     */
    void keep(StateKey key, State state, Object stored, long expiresAt, long now) {
        boolean isNew = state == null || state.isForgotten();
        State kept = isNew ? new State() : state;
        State before = isNew ? all.put(key, kept) : null;
        if (before != null) {
            forgotten(before);
        }
        weight -= kept.weight;
        kept.become(stored, expiresAt);
        weight += kept.weight;
        if (forgetting) {
            for (int looks = isNew ? LOOKS_PER_KEY : changes++ % CHANGES_PER_LOOK == 0 ? 1 : 0; looks > 0; looks--) {
                lookAtNext(now);
            }
            while (weight > MAX_WEIGHT) {
                makeRoom();
            }
        }
    }

    void forget(StateKey key) {
        State state = all.remove(key);
        if (state != null) {
            forgotten(state);
        }
    }

    void forgetAll() {
        all.clear();
        weight = 0;
    }

    private void forgotten(State state) {
        weight -= state.weight;
        state.weight = 0;
    }

    /** Looks at the next state: removes it if it has expired, otherwise moves it to the end. */
    private void lookAtNext(long now) {
        Iterator<Map.Entry<StateKey, State>> inTurn = all.entrySet().iterator();
        if (inTurn.hasNext()) {
            Map.Entry<StateKey, State> next = inTurn.next();
            StateKey key = next.getKey();
            State state = next.getValue();
            inTurn.remove();
            if (state.expiresAt > now) {
                all.put(key, state);
            } else {
                forgotten(state);
            }
        }
    }

    private void makeRoom() {
        Map.Entry<StateKey, State> soonest = null;
        int looks = 0;
        for (Map.Entry<StateKey, State> candidate : all.entrySet()) {
            if (soonest == null || candidate.getValue().expiresAt < soonest.getValue().expiresAt) {
                soonest = candidate;
            }
            if (++looks == CANDIDATES) {
                break;
            }
        }
        forget(soonest.getKey());
    }

    /** The state under a key. */
    static final class State {

        private Object stored;
        private long expiresAt;
        /** 0 for a state that was removed. */
        private int weight;

        /** Whether the state was removed after it was looked up. */
        private boolean isForgotten() {
            return weight == 0;
        }

        private void become(Object other, long otherExpiresAt) {
            stored = other;
            expiresAt = otherExpiresAt;
            weight = other instanceof Weighted growing ? 1 + growing.weight() : 1;
        }
    }
}
