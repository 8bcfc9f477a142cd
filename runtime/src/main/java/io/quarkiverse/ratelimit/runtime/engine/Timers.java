package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Runs delayed actions without blocking a thread. */
public final class Timers {

    private final Vertx vertx;

    public Timers(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Completes after this time, rounded up to the millisecond, on the event loop of the subscription. */
    Uni<Void> after(Duration time) {
        return Uni.createFrom().emitter(waiting -> {
            long timer = vertx.setTimer(Math.max(1, time.plusNanos(999_999).toMillis()), ignored -> waiting.complete(null));
            waiting.onTermination(() -> vertx.cancelTimer(timer));
        });
    }

    /** Runs the task after the current one. */
    void soon(Runnable task) {
        vertx.runOnContext(ignored -> task.run());
    }
}
