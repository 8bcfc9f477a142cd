package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Sends equal requests to the script as one. They get permits in the order in which they were made. */
final class MergedRequest {

    final PendingRequest first;
    private List<PendingRequest> others = List.of();

    MergedRequest(PendingRequest first) {
        this.first = first;
    }

    void add(PendingRequest equal) {
        if (others.isEmpty()) {
            others = new ArrayList<>();
        }
        others.add(equal);
    }

    List<PendingRequest> requests() {
        List<PendingRequest> requests = new ArrayList<>(1 + others.size());
        requests.add(first);
        requests.addAll(others);
        return requests;
    }

    /** Marks all its requests as sent. */
    void sent() {
        first.sent = true;
        for (int i = 0; i < others.size(); i++) {
            others.get(i).sent = true;
        }
    }

    /** The last request that still waits for its reply, {@code null} if there is none. */
    PendingRequest lastWaiting() {
        for (int i = others.size() - 1; i >= 0; i--) {
            if (!others.get(i).isAnswered()) {
                return others.get(i);
            }
        }
        return first.isAnswered() ? null : first;
    }

    /** The request that goes to the script. */
    StoreRequest request() {
        return others.isEmpty() ? first.request : first.request.times(1 + others.size());
    }

    /** Completes all requests with the reply of the script. If the script failed, returns the error and completes none. */
    String complete(ReplyReader reply) {
        String error = reply.errorOfNext();
        if (error == null) {
            StoreReply rest = reply.next(first.request);
            StoreReply own = others.isEmpty() ? rest : first.request.first(rest);
            first.complete(own);
            for (int i = 0; i < others.size(); i++) {
                // a denied request acquires nothing, so the same reply denies the next one
                if (first.request.allowedBy(own)) {
                    rest = first.request.others(rest);
                    own = first.request.first(rest);
                }
                others.get(i).complete(own);
            }
        }
        return error;
    }
}
