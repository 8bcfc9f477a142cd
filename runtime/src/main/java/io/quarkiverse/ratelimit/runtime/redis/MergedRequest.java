package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

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

    List<PendingRequest> questions() {
        List<PendingRequest> questions = new ArrayList<>(1 + others.size());
        questions.add(first);
        questions.addAll(others);
        return questions;
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
    StoreRequest question() {
        return others.isEmpty() ? first.question : first.question.times(1 + others.size());
    }

    /** Completes all requests with the reply of the script. If the script failed, returns the error and completes none. */
    String answer(ReplyReader reply) {
        String error = reply.errorOfNext();
        if (error == null) {
            long[] numbers = reply.next(first.limits);
            long[] answer = others.isEmpty() ? numbers : first.question.split(numbers);
            first.answer(answer);
            for (int i = 0; i < others.size(); i++) {
                // a denied request acquires nothing, so the same numbers deny the next one
                if (first.question.allowed(answer)) {
                    answer = first.question.split(numbers);
                }
                others.get(i).answer(answer);
            }
        }
        return error;
    }
}
