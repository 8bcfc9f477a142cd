package io.quarkiverse.ratelimit.runtime.store.memory;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult.Weighted;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;

/**
 * Keeps states by key in bounded memory. Each state is a lock of its own. A thread that adds or changes states also sweeps a
 * few others, the oldest first: it removes expired ones. When the memory is full, it compares a few states and evicts the one
 * that expires soonest, as it is the smallest loss.
 */
class StateMap {

    /** Capacity in keys, about 50 MB. Keys with long logs or many held permits count for more. */
    static final int MAX_WEIGHT = 200_000;

    /** More than one, so that the number of expired states falls while others are added. */
    private static final int SWEPT_PER_KEY = 2;
    private static final int CANDIDATES = 8;

    private final Map<LimitKey, State> all = new ConcurrentHashMap<>();
    /** All states with a value, the next to sweep first, and removed ones that are still in the queue. */
    private final Queue<State> inOrder = new ConcurrentLinkedQueue<>();
    private final LongAdder weight = new LongAdder();

    int size() {
        return all.size();
    }

    /** Returns the state under a key, new if there is none. Another thread may remove it before this one has locked it. */
    State of(LimitKey key) {
        // the map locks several keys together, unless one is only read
        State known = all.get(key);
        return known != null ? known : all.computeIfAbsent(key, State::new);
    }

    /** Returns the value of a locked state; {@code null} if there is none, or if it has expired. */
    Object stored(State state, long now) {
        return state.expiresAt <= now ? null : state.stored;
    }

    /**
     * Stores a value in a locked state; {@code null} to remove the previous value.
     *
     * @return number of other states to sweep, once no state is locked
     */
    int keep(State state, Object stored, long expiresAt) {
        int before = state.weight;
        become(state, stored, expiresAt);
        if (before == 0 && stored != null) {
            inOrder.add(state);
            return SWEPT_PER_KEY;
        }
        return ++state.changes % State.CHANGES_PER_SWEEP == 0 ? 1 : 0;
    }

    private void become(State state, Object stored, long expiresAt) {
        int before = state.weight;
        state.stored = stored;
        state.expiresAt = expiresAt;
        state.weight = stored == null ? 0 : stored instanceof Weighted growing ? 1 + growing.weight() : 1;
        if (state.weight != before) {
            weight.add(state.weight - before);
        }
    }

    /** Removes a locked state. */
    void remove(State state) {
        become(state, null, 0);
        state.removed = true;
        all.remove(state.key, state);
    }

    void clear() {
        for (State state : all.values()) {
            synchronized (state) {
                remove(state);
            }
        }
    }

    /** Removes expired states among the next ones, and evicts others while there are too many. Locks one at a time. */
    void sweep(int count, long now) {
        for (int i = 0; i < count; i++) {
            sweepNext(now);
        }
        while (weight.sum() > MAX_WEIGHT) {
            evict();
        }
    }

    private void sweepNext(long now) {
        State next = inOrder.poll();
        if (next != null) {
            synchronized (next) {
                if (next.expiresAt > now) {
                    inOrder.add(next);
                } else {
                    remove(next);
                }
            }
        }
    }

    private void evict() {
        // removed states give no room, and would be chosen one by one
        List<State> candidates = Stream.generate(inOrder::poll).limit(CANDIDATES).takeWhile(Objects::nonNull)
                .filter(state -> state.expiresAt > 0).toList();
        candidates.stream().min(Comparator.comparingLong(state -> state.expiresAt)).ifPresent(soonest -> {
            candidates.stream().filter(state -> state != soonest).forEach(inOrder::add);
            synchronized (soonest) {
                remove(soonest);
            }
        });
    }

    /** The state under a key. Only a thread that has locked it changes it. */
    static final class State {

        /** Number of changes after which one sweeps another state, as it takes time. */
        private static final int CHANGES_PER_SWEEP = 16;

        final LimitKey key;
        /** {@code null} for none. */
        Object stored;
        /** 0 for a removed state. */
        volatile long expiresAt;
        /** 0 if nothing is stored. */
        int weight;
        /** True if the state was removed from the map after it was looked up. */
        boolean removed;
        private int changes;

        private State(LimitKey key) {
            this.key = key;
        }
    }
}
