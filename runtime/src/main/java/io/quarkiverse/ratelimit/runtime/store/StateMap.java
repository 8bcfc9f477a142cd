package io.quarkiverse.ratelimit.runtime.store;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult.Weighted;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Keeps states by key in bounded memory. Threads with different keys do not wait for each other, as each state is a lock
 * of its own. A thread that adds or changes states also sweeps a few others, the oldest first: it removes expired ones.
 * When the memory is full, a few states are compared and the one that expires soonest is evicted, as it is the smallest
 * loss.
 */
final class StateMap {

    /** The capacity in keys, about 50 MB; keys with long logs or many held permits count for more. */
    static final int MAX_WEIGHT = 200_000;

    /** More than one, so that the number of expired states falls while others are added. */
    private static final int SWEPT_PER_KEY = 2;
    private static final int CANDIDATES = 8;

    private final Map<LimitKey, State> all = new ConcurrentHashMap<>();
    /** All states with a value, the next to sweep first, and some that were removed. */
    private final Queue<State> inOrder = new ConcurrentLinkedQueue<>();
    private final LongAdder weight = new LongAdder();
    private final boolean evicting;

    StateMap() {
        this(true);
    }

    /** @param evicting whether the map sweeps and evicts states by itself */
    StateMap(boolean evicting) {
        this.evicting = evicting;
    }

    int size() {
        return all.size();
    }

    /** The state under a key, new if there is none. Another thread may remove it before this one has locked it. */
    State of(LimitKey key) {
        State state = all.get(key);
        return state != null ? state : all.computeIfAbsent(key, State::new);
    }

    /** The value of a locked state; {@code null} for none, or when it has expired. */
    Object stored(State state, long now) {
        return evicting && state.expiresAt <= now ? null : state.stored;
    }

    /**
     * Stores a value in a locked state.
     *
     * @param stored {@code null} to remove the previous value
     * @param expiresAt when the value expires, in microseconds
     * @return how many other states to sweep, once no state is locked
     */
    int keep(State state, Object stored, long expiresAt) {
        int before = state.weight;
        state.become(stored, expiresAt);
        if (state.weight != before) {
            weight.add(state.weight - before);
        }
        if (before == 0 && stored != null) {
            inOrder.add(state);
            return SWEPT_PER_KEY;
        }
        return state.isDueToSweep() ? 1 : 0;
    }

    /** Removes a locked state. */
    void remove(State state) {
        weight.add(-state.weight);
        state.become(null, 0);
        state.removed = true;
        all.remove(state.key, state);
    }

    void clear() {
        for (State state : all.values()) {
            synchronized (state) {
                remove(state);
            }
        }
        inOrder.removeIf(state -> state.removed);
    }

    /** Removes expired states among the next ones, and evicts others while there are too many. Locks one at a time. */
    void sweep(int count, long now) {
        if (evicting) {
            for (int i = 0; i < count; i++) {
                sweepNext(now);
            }
            while (weight.sum() > MAX_WEIGHT) {
                evict();
            }
        }
    }

    private void sweepNext(long now) {
        State next = inOrder.poll();
        if (next != null) {
            synchronized (next) {
                if (next.removed) {
                    return;
                }
                if (next.expiresAt > now) {
                    inOrder.add(next);
                } else {
                    remove(next);
                }
            }
        }
    }

    private void evict() {
        State soonest = null;
        long soonestExpiresAt = 0;
        for (int i = 0; i < CANDIDATES; i++) {
            State next = inOrder.poll();
            if (next == null) {
                break;
            }
            synchronized (next) {
                if (next.removed) {
                    continue;
                }
                if (soonest == null || next.expiresAt < soonestExpiresAt) {
                    if (soonest != null) {
                        inOrder.add(soonest);
                    }
                    soonest = next;
                    soonestExpiresAt = next.expiresAt;
                } else {
                    inOrder.add(next);
                }
            }
        }
        if (soonest != null) {
            synchronized (soonest) {
                if (!soonest.removed) {
                    remove(soonest);
                }
            }
        }
    }

    /** The state under a key. Only a thread that has locked it reads or changes it. */
    static final class State implements Comparable<State> {

        private static final int CHANGES_PER_SWEEP = 16;

        final LimitKey key;
        /** {@code null} for none. */
        Object stored;
        long expiresAt;
        /** 0 if nothing is stored. */
        int weight;
        /** Whether it was removed from the map, after it was looked up. */
        boolean removed;
        private int changes;

        private State(LimitKey key) {
            this.key = key;
        }

        private void become(Object other, long otherExpiresAt) {
            stored = other;
            expiresAt = otherExpiresAt;
            weight = other == null ? 0 : other instanceof Weighted growing ? 1 + growing.weight() : 1;
        }

        /** Whether this change must sweep another state: only some changes do, as it takes time. */
        private boolean isDueToSweep() {
            return ++changes % CHANGES_PER_SWEEP == 0;
        }

        /** The order in which threads lock several states, so that none blocks another for good. */
        @Override
        public int compareTo(State other) {
            return key.compareTo(other.key);
        }
    }
}
