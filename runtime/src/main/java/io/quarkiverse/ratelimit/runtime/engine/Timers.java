package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Lets time pass without a thread. */
final class Timers {

    private final Vertx vertx;

    Timers(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Completes after so long, rounded up to the millisecond; on the event loop it was subscribed on. */
    Uni<Void> after(Duration time) {
        return Uni.createFrom().emitter(waiting -> {
            long timer = vertx.setTimer(Math.max(1, time.plusNanos(999_999).toMillis()), ignored -> waiting.complete(null));
            waiting.onTermination(() -> vertx.cancelTimer(timer));
        });
    }

    /** Runs the task after what runs now. */
    void soon(Runnable task) {
        vertx.runOnContext(ignored -> task.run());
    }
}
