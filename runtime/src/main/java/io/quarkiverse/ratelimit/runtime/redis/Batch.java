package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/**
 * Collects the requests that go to Redis as one call of the script. Equal requests share one entry, and get permits in the
 * order in which they were made. Entries keep the order of the requests, except that requests that differ only in their keys
 * follow each other.
 */
final class Batch {

    /** A larger batch would block Redis for too long. */
    private static final int MAX_ENTRIES = 64;
    /** More replies would block the event loop for too long. */
    private static final int MAX_REQUESTS = 1_024;

    final PendingRequest first;
    final List<List<PendingRequest>> entries;
    /** Finds the entry of an equal request; {@code null} for a batch of one request. */
    private final Map<StoreRequest, List<PendingRequest>> equal;
    /** When the requests were taken from the queue to be sent, by {@link System#nanoTime}. */
    final long taken = System.nanoTime();
    /**
     * Whether the client has the command. Before that, a failure repeats the requests, although they are marked as
     * {@link PendingRequest#mayBeCounted}.
     */
    boolean sent;
    private int size;

    /**
     * @param first all other requests can go to Redis with it
     * @param waiting number of requests that wait; if it is 1, there are no equal ones to find
     */
    Batch(PendingRequest first, int waiting) {
        this.first = first;
        entries = new ArrayList<>(Math.min(waiting, MAX_ENTRIES));
        equal = waiting == 1 ? null : new HashMap<>();
    }

    /** Takes the first requests that go together. The batch is empty if none of them still waits for its reply. */
    static Batch next(Queue<PendingRequest> waiting) {
        Batch batch = new Batch(waiting.peek(), waiting.peek().alone ? 1 : waiting.size());
        while (!waiting.isEmpty() && waiting.peek().goesWith(batch.first)) {
            PendingRequest next = waiting.peek();
            // the timer fails late requests, so they are skipped
            boolean waits = !next.isCompleted() && next.deadline.due() - batch.taken > 0;
            // if the batch is full, the request stays in the queue
            if (waits && !batch.add(next)) {
                break;
            }
            waiting.poll();
        }
        return batch;
    }

    /** Adds a request, and marks it as one that Redis may count; returns whether there was room for it. */
    boolean add(PendingRequest pending) {
        boolean mergeable = equal != null && EqualRequests.areMergeable(pending.request);
        List<PendingRequest> entry = mergeable ? equal.get(pending.request) : null;
        if (size == MAX_REQUESTS || entry == null && entries.size() == MAX_ENTRIES) {
            return false;
        }
        size++;
        pending.mayBeCounted = true;
        if (entry == null) {
            entry = new ArrayList<>(1);
            entries.add(positionFor(pending.request), entry);
            if (mergeable) {
                equal.put(pending.request, entry);
            }
        }
        entry.add(pending);
        return true;
    }

    /**
     * The position after the last entry that differs only in its keys, else the end. Such entries follow each other, so that
     * the script gets their arguments once.
     */
    private int positionFor(StoreRequest request) {
        int index = entries.size();
        while (index > 0 && !entries.get(index - 1).get(0).request.hasOperationsOf(request)) {
            index--;
        }
        return index > 0 ? index : entries.size();
    }

    List<StoreRequest> requests() {
        List<StoreRequest> requests = new ArrayList<>(entries.size());
        for (List<PendingRequest> entry : entries) {
            StoreRequest request = entry.get(0).request;
            requests.add(entry.size() == 1 ? request : EqualRequests.asOne(request, entry.size()));
        }
        return requests;
    }

    List<PendingRequest> uncompleted() {
        return entries.stream().flatMap(List::stream).filter(pending -> !pending.isCompleted()).toList();
    }
}
