package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;

/** Holds the requests of one event loop that wait for the next batch, in the order in which they were made. */
final class WaitingRequests {

    private static final int MAX = 10_000;

    private final ArrayDeque<PendingRequest> requests = new ArrayDeque<>();

    boolean isEmpty() {
        return requests.isEmpty();
    }

    boolean isFull() {
        return requests.size() >= MAX;
    }

    int size() {
        return requests.size();
    }

    void add(PendingRequest request) {
        requests.add(request);
    }

    /** Takes the first requests that go together. The batch is empty if none of them still waits for its reply. */
    Batch nextBatch() {
        Batch batch = new Batch(requests.size());
        long now = System.nanoTime();
        PendingRequest first = requests.peek();
        while (!requests.isEmpty() && requests.peek().goesWith(first)) {
            PendingRequest next = requests.peek();
            // the timer fails late requests
            if (!next.isAnswered() && !next.isLate(now) && !batch.add(next)) {
                break;
            }
            requests.poll();
        }
        return batch;
    }

    /** Removes completed requests from the front. */
    void forgetAnswered() {
        while (!requests.isEmpty() && requests.peek().isAnswered()) {
            requests.poll();
        }
    }

    /** Fails and removes all requests. */
    void failAll(RedisStoreException failure) {
        for (PendingRequest request : requests) {
            request.fail(failure);
        }
        requests.clear();
    }
}
