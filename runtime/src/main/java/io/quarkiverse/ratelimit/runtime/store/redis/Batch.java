package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Decide;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Run;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Sendable;
import io.vertx.redis.client.Request;

/**
 * Collects the requests that go to Redis as one call of the script. Equal requests share one entry. Entries keep the order of
 * the requests, except that requests that differ only in their keys follow each other.
 */
final class Batch implements Sendable {

    /** Maximum number of entries. A larger batch would block Redis for too long. */
    private static final int MAX_ENTRIES = 64;
    /** More replies would block the event loop for too long. */
    private static final int MAX_REQUESTS = 1_024;

    /** One of each set of equal requests. Its {@link Decide#equal} has the others. */
    final List<Decide> entries;
    /** Finds the entry of an equal request; {@code null} for a batch of one request. */
    private final Map<StoreRequest, Decide> mergeable;
    private int size;

    /** @param waiting number of requests that wait; if it is 1, there are no equal ones to find */
    Batch(int waiting) {
        entries = new ArrayList<>(Math.min(waiting, MAX_ENTRIES));
        mergeable = waiting == 1 ? null : new HashMap<>();
    }

    /** Takes the first requests that go together. Returns {@code null} if none of them still waits for its reply. */
    static Sendable next(Queue<PendingRequest> waiting) {
        long now = System.nanoTime();
        // the timer fails late requests, so they are skipped
        while (!waiting.isEmpty() && !waiting.peek().waits(now)) {
            waiting.poll();
        }
        PendingRequest first = waiting.peek();
        if (!(first instanceof Decide)) {
            return (Run) waiting.poll();
        }
        Batch batch = new Batch(waiting.size());
        while (waiting.peek() instanceof Decide next && Objects.equals(next.batchKey, first.batchKey)) {
            // if the batch is full, the request stays in the queue
            if (next.waits(now) && !batch.add(next)) {
                break;
            }
            waiting.poll();
        }
        return batch;
    }

    /** Adds a request, and marks it as one that Redis may count; returns whether there was room for it. */
    boolean add(Decide pending) {
        boolean isMergeable = mergeable != null && isMergeable(pending.request);
        Decide entry = isMergeable ? mergeable.get(pending.request) : null;
        if (size == MAX_REQUESTS || entry == null && entries.size() == MAX_ENTRIES) {
            return false;
        }
        size++;
        pending.mayBeCounted = true;
        pending.equal = new ArrayList<>(0);
        if (entry != null) {
            entry.equal.add(pending);
            return true;
        }
        entries.add(entries.isEmpty() ? 0 : positionFor(pending.request), pending);
        if (isMergeable) {
            mergeable.put(pending.request, pending);
        }
        return true;
    }

    /**
     * Returns whether equal requests can be merged with this one. All its limits then have the same cost, so that they can
     * grant equally.
     */
    static boolean isMergeable(StoreRequest request) {
        long cost = 0;
        for (LimitOperation limit : request.operations()) {
            long other = limit.operation().cost();
            if (limit.group() != LimitOperation.ENFORCED || !limit.operation().isMergeable()
                    || cost > 0 && other > 0 && other != cost) {
                return false;
            }
            cost = Math.max(cost, other);
        }
        return true;
    }

    /**
     * Returns the position after the last entry that differs only in its keys, or the end. Such entries follow each other, so
     * that the script gets their arguments once.
     */
    private int positionFor(StoreRequest request) {
        int index = entries.size();
        while (index > 0 && !entries.get(index - 1).request.hasOperationsOf(request)) {
            index--;
        }
        return index > 0 ? index : entries.size();
    }

    @Override
    public Request command(DecideScript script, boolean withText) {
        List<StoreRequest> requests = new ArrayList<>(entries.size());
        for (Decide entry : entries) {
            requests.add(entry.equal.isEmpty() ? entry.request : merged(entry));
        }
        return script.command(requests, withText);
    }

    @Override
    public List<PendingRequest> uncompleted() {
        return entries.stream().flatMap(entry -> all(entry).stream()).filter(pending -> !pending.isCompleted()).toList();
    }

    /** Returns a request and those that are equal to it, in the order in which they were made. */
    static List<PendingRequest> all(Decide entry) {
        List<PendingRequest> all = new ArrayList<>(List.of(entry));
        all.addAll(entry.equal);
        return all;
    }

    /** Creates one request that acquires for all equal ones. */
    private static StoreRequest merged(Decide entry) {
        List<LimitOperation> all = entry.request.operations();
        char group = all.size() == 1 ? LimitOperation.ENFORCED : LimitOperation.EQUAL_GRANTS;
        List<LimitOperation> merged = new ArrayList<>(all.size());
        for (LimitOperation limit : all) {
            merged.add(new LimitOperation(limit.key(), limit.operation().times(1 + entry.equal.size()), group));
        }
        return new StoreRequest(merged);
    }

    /** Completes a request and those that are equal to it, which get permits in the order in which they were made. */
    static void complete(Decide entry, StoreReply reply) {
        if (entry.equal.isEmpty()) {
            entry.complete(reply);
            return;
        }
        StoreReply next = part(entry.request, reply, 0);
        int before = 0;
        for (PendingRequest pending : all(entry)) {
            // a denied request acquires nothing, so the same reply denies all later ones
            if (before > 0 && entry.request.allowedBy(next)) {
                next = part(entry.request, reply, before);
            }
            pending.complete(next);
            before++;
        }
    }

    /** Returns the reply to request number {@code allowed + 1}. */
    private static StoreReply part(StoreRequest request, StoreReply merged, int allowed) {
        List<LimitReply> parts = new ArrayList<>(merged.limits().size());
        for (int i = 0; i < merged.limits().size(); i++) {
            long cost = request.operations().get(i).operation().cost();
            parts.add(merged.limits().get(i).toOne(cost, cost * allowed, merged.time()));
        }
        return new StoreReply(merged.time(), parts);
    }
}
