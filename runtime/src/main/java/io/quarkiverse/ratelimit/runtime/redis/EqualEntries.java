package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Finds the entry of a batch that an equal request can join. It is a hash table with linear probing, at most half full. */
final class EqualEntries {

    private static final int NOWHERE = -1;

    private final Batch.Entry[] table;
    /** The free place for the request that the last {@link #find} did not find. */
    private int free = NOWHERE;

    /** @param most the most entries of the batch */
    EqualEntries(int most) {
        table = new Batch.Entry[Integer.highestOneBit(most) * 4];
    }

    /** The entry of equal requests; {@code null} if there is none, or if these requests cannot be merged. */
    Batch.Entry find(StoreRequest request) {
        free = NOWHERE;
        if (!EqualRequests.areMergeable(request)) {
            return null;
        }
        int hash = EqualRequests.hash(request);
        int place = (hash ^ hash >>> 16) & table.length - 1;
        while (table[place] != null && !EqualRequests.areEqual(table[place].first().request, request)) {
            place = place + 1 & table.length - 1;
        }
        free = place;
        return table[place];
    }

    /** Adds the entry of the request that {@link #find} has not found. */
    void add(Batch.Entry entry) {
        if (free != NOWHERE) {
            table[free] = entry;
        }
    }
}
