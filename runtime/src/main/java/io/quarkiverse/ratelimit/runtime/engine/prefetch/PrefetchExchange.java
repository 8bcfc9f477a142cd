package io.quarkiverse.ratelimit.runtime.engine.prefetch;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;

/** A request that acquires permits ahead, and the calls that wait for its reply. */
final class PrefetchExchange {

    /** More calls would take longer to complete than a request to Redis. */
    private static final int MOST_WAITING = 1_024;

    private final long due;
    /** {@code null} after the end. */
    private List<UniEmitter<? super Void>> waiting = new ArrayList<>();
    private boolean invalid;

    PrefetchExchange(Deadline deadline) {
        this.due = deadline.due();
    }

    /** Whether a call can wait for the reply and still has time for a request of its own. */
    synchronized boolean isInTime(Deadline deadline) {
        return deadline.due() - due >= 0 && (waiting == null || waiting.size() < MOST_WAITING);
    }

    /** Whether it must not keep permits; guarded by the lock of its key. */
    boolean isInvalid() {
        return invalid;
    }

    void invalidate() {
        invalid = true;
    }

    /** Completes when the exchange has ended. */
    Uni<Void> end() {
        return PlainUni.emitter(call -> {
            synchronized (this) {
                if (waiting != null) {
                    waiting.add(call);
                    return;
                }
            }
            call.complete(null);
        });
    }

    void ended() {
        List<UniEmitter<? super Void>> all;
        synchronized (this) {
            all = waiting;
            waiting = null;
        }
        all.forEach(call -> call.complete(null));
    }
}
