package io.quarkiverse.ratelimit.runtime.store;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.Growing;

/**
 * Keeps states by key in bounded memory: whoever keeps one looks at a few others in turn, and forgets what is over. Where
 * there is too much, what ends soonest of a few is forgotten, as that is the least to lose. Not safe for several threads.
 */
final class States {

    /** Of as many keys, or of fewer with long logs or many permits held: some 50 MB. */
    static final int MAX_WEIGHT = 200_000;

    /** More than one, so that those that are over become fewer while others are added. */
    private static final int LOOKS_PER_KEY = 2;
    private static final int CHANGES_PER_LOOK = 16;
    private static final int CANDIDATES = 8;

    private final Map<StateKey, State> all = new LinkedHashMap<>();
    private final boolean forgetting;
    private long weight;
    private long changes;

    States() {
        this(true);
    }

    /** @param forgetting whether it forgets anything by itself */
    States(boolean forgetting) {
        this.forgetting = forgetting;
    }

    int size() {
        return all.size();
    }

    /** The state under a key, which may be over; {@code null} for none. */
    State of(StateKey key) {
        return all.get(key);
    }

    /** What is stored, {@code null} for nothing that matters now. */
    Object stored(State state, long now) {
        return state == null || forgetting && state.expiresAt <= now ? null : state.stored;
    }

    /**
     * Keeps what is to be stored under a key.
     *
     * @param state the one under the key, {@code null} for none
     * @param expiresAt when it no longer matters, microseconds
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

    /** Forgets the one whose turn it is if it is over; else its turn comes again after all others. */
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

    /** What is kept under a key. */
    static final class State {

        private Object stored;
        private long expiresAt;
        /** 0 for one that is not kept. */
        private int weight;

        /** Whether room was made of it since it was asked for. */
        private boolean isForgotten() {
            return weight == 0;
        }

        private void become(Object other, long otherExpiresAt) {
            stored = other;
            expiresAt = otherExpiresAt;
            weight = other instanceof Growing growing ? 1 + growing.weight() : 1;
        }
    }
}
