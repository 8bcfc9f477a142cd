package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.ext.web.RoutingContext;

/** Waits for the decision of a request that may be delayed, and cancels it when the client leaves. */
public final class DecisionWait {

    private DecisionWait() {
    }

    /**
     * @param onOutcome receives the outcome
     * @param onFailure receives the failure when there is no outcome
     * @param onLeft runs instead of these when the client has left
     */
    public static void await(Uni<Outcome> decision, RoutingContext routing, Consumer<Outcome> onOutcome,
            Consumer<Throwable> onFailure, Runnable onLeft) {
        AtomicBoolean over = new AtomicBoolean();
        Cancellable subscription = PlainUni.subscribe(decision, outcome -> {
            if (over.compareAndSet(false, true)) {
                onOutcome.accept(outcome);
            } else {
                outcome.lease().release();
            }
        }, failure -> {
            if (over.compareAndSet(false, true)) {
                onFailure.accept(failure);
            }
        });
        if (over.get()) {
            // a decision that is known at once may have ended the response, which then accepts no handlers
            return;
        }
        routing.addEndHandler(ended -> {
            if (over.compareAndSet(false, true)) {
                subscription.cancel();
                onLeft.run();
            }
        });
    }
}
