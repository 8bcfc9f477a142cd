package io.quarkiverse.ratelimit.runtime.store;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One part of the states, with a lock of its own. A part that evicts compares a few states, and evicts the one that
 * expires soonest, as it is the smallest loss.
 */
@SuppressWarnings("serial")
final class StatePart extends ReentrantLock {

    /** So many expired states are removed at once that no call takes long. */
    private static final int MOST_AT_ONCE = 16;
    private static final int CANDIDATES = 8;

    private final Map<StateKey, State> all = new LinkedHashMap<>();
    private final LongAdder weightOfAll;
    private int weight;
    /** The part of the weight that others know; is read without the lock. */
    private volatile int published;
    private int changes;
    private int lastSwept;

    /**
     * @param weightOfAll adds up the weights of all parts
     * @param lastSwept the index of the part that this one swept last
     */
    StatePart(LongAdder weightOfAll, int lastSwept) {
        this.weightOfAll = weightOfAll;
        this.lastSwept = lastSwept;
    }

    int weight() {
        return published;
    }

    /** Adds up what has changed, and returns whether the part has grown. */
    boolean publishWeight() {
        int more = weight - published;
        if (more != 0) {
            published = weight;
            weightOfAll.add(more);
        }
        return more > 0;
    }

    int size() {
        lock();
        try {
            return all.size();
        } finally {
            unlock();
        }
    }

    /** The state under a key, which may have expired; {@code null} for none. */
    State of(StateKey key) {
        return all.get(key);
    }

    /** Stores a value in place of a state, and returns whether the key is new. */
    boolean put(StateKey key, State state, Object stored, long expiresAt) {
        boolean isNew = state == null || state.isForgotten();
        State kept = isNew ? new State() : state;
        State before = isNew ? all.put(key, kept) : null;
        if (before != null) {
            forgotten(before);
        }
        int previous = kept.weight();
        kept.become(stored, expiresAt);
        weight += kept.weight() - previous;
        return isNew;
    }

    void forget(StateKey key) {
        State state = all.remove(key);
        if (state != null) {
            forgotten(state);
            publishWeight();
        }
    }

    void forgetAll() {
        all.clear();
        weight = 0;
        publishWeight();
    }

    private void forgotten(State state) {
        weight -= state.weight();
        state.forget();
    }

    /** Counts a change of a state. */
    int countChange() {
        return changes++;
    }

    /** The index of the part to sweep next. */
    int nextSwept(int parts) {
        lastSwept = (lastSwept + 1) % parts;
        return lastSwept;
    }

    /** Removes the next states that have expired, and moves the first that has not to the end. */
    void sweep(long now) {
        Iterator<Map.Entry<StateKey, State>> eldest = all.entrySet().iterator();
        for (int looks = 0; looks < MOST_AT_ONCE && eldest.hasNext(); looks++) {
            Map.Entry<StateKey, State> next = eldest.next();
            StateKey key = next.getKey();
            State state = next.getValue();
            eldest.remove();
            if (state.expiresAt() > now) {
                all.put(key, state);
                return;
            }
            forgotten(state);
        }
    }

    /** Sweeps unless another thread uses this part. */
    void sweepIfFree(long now) {
        if (tryLock()) {
            try {
                sweep(now);
                publishWeight();
            } finally {
                unlock();
            }
        }
    }

    /** Evicts a state, and returns whether it could. */
    boolean makeRoomIfFree() {
        if (!tryLock()) {
            return false;
        }
        try {
            Map.Entry<StateKey, State> soonest = null;
            int looks = 0;
            for (Map.Entry<StateKey, State> candidate : all.entrySet()) {
                if (soonest == null || candidate.getValue().expiresAt() < soonest.getValue().expiresAt()) {
                    soonest = candidate;
                }
                if (++looks == CANDIDATES) {
                    break;
                }
            }
            if (soonest != null) {
                forget(soonest.getKey());
            }
            return soonest != null;
        } finally {
            unlock();
        }
    }
}
