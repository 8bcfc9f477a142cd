package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/**
 * Collects the requests that go to Redis as one call of the script. Equal requests share one entry. Entries keep the order of
 * the requests, except that requests that differ only in their keys follow each other.
 */
final class Batch {

    /** A larger batch would block Redis for too long. */
    private static final int MAX_ENTRIES = 64;
    /** More replies would block the event loop for too long. */
    private static final int MAX_REQUESTS = 1_024;
    private static final int NOWHERE = -1;

    private final int most;
    private final List<MergedRequest> entries;
    /** Hash table of the entries that equal requests can join, with linear probing; at most half full. */
    private final MergedRequest[] mergeable;
    private int size;

    /** @param waiting number of requests that wait */
    Batch(int waiting) {
        most = Math.min(waiting, MAX_ENTRIES);
        entries = new ArrayList<>(most);
        mergeable = new MergedRequest[Integer.highestOneBit(most) * 4];
    }

    /** A batch of requests that were in a batch before. */
    static Batch of(List<PendingRequest> pending) {
        Batch call = new Batch(pending.size());
        pending.forEach(call::add);
        return call;
    }

    /** Adds a request; returns whether there was room for it. */
    boolean add(PendingRequest pending) {
        int index = most > 1 && pending.request.isMergeable() ? index(pending.request) : NOWHERE;
        boolean joins = index != NOWHERE && mergeable[index] != null;
        if (size == MAX_REQUESTS || !joins && entries.size() == most) {
            return false;
        }
        size++;
        if (joins) {
            mergeable[index].add(pending);
            return true;
        }
        MergedRequest entry = new MergedRequest(pending);
        entries.add(behindAlike(pending.request), entry);
        if (index != NOWHERE) {
            mergeable[index] = entry;
        }
        return true;
    }

    /** Requests that differ only in their keys follow each other, because the script then gets their arguments once. */
    private int behindAlike(StoreRequest request) {
        int index = entries.size();
        while (index > 0 && !entries.get(index - 1).first.request.hasOperationsOf(request)) {
            index--;
        }
        return index > 0 ? index : entries.size();
    }

    /** The position of the entry for an equal request, or of a free index for it. */
    private int index(StoreRequest request) {
        int hash = request.hashCode();
        int index = hash ^ hash >>> 16;
        while (true) {
            index &= mergeable.length - 1;
            if (mergeable[index] == null || mergeable[index].first.request.equals(request)) {
                return index;
            }
            index++;
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many requests the batch contains. */
    int size() {
        return size;
    }

    /** Whether the batch goes to a node that is importing the index and needs {@code ASKING} first. */
    boolean isAsking() {
        return entries.get(0).first.asking;
    }

    List<MergedRequest> entries() {
        return entries;
    }

    /** All requests of the batch, in a new list. */
    List<PendingRequest> pending() {
        List<PendingRequest> pending = new ArrayList<>(size);
        for (MergedRequest entry : entries) {
            pending.addAll(entry.requests());
        }
        return pending;
    }

    /** The requests to the script, one per entry. */
    List<StoreRequest> requests() {
        List<StoreRequest> requests = new ArrayList<>(entries.size());
        for (MergedRequest entry : entries) {
            requests.add(entry.request());
        }
        return requests;
    }
}
