package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.ext.web.RoutingContext;

/** Waits for the decision of a request; one that is held back gives up its place when its client leaves. */
final class DecidedRequest {

    private DecidedRequest() {
    }

    /**
     * @param mayWait whether the request may be held back
     * @param decided is told the outcome, or {@code failed} why there is none, unless the client has left: then
     *        {@code left} is told
     */
    static void await(Uni<Outcome> decision, RoutingContext routing, boolean mayWait, Consumer<Outcome> decided,
            Consumer<Throwable> failed, Runnable left) {
        if (!mayWait) {
            Undecorated.subscribe(decision, decided, failed);
            return;
        }
        AtomicBoolean over = new AtomicBoolean();
        Cancellable waiting = Undecorated.subscribe(decision, outcome -> {
            if (over.compareAndSet(false, true)) {
                decided.accept(outcome);
            } else {
                outcome.lease().release();
            }
        }, failure -> {
            if (over.compareAndSet(false, true)) {
                failed.accept(failure);
            }
        });
        routing.addEndHandler(ended -> {
            if (over.compareAndSet(false, true)) {
                waiting.cancel();
                left.run();
            }
        });
    }
}
