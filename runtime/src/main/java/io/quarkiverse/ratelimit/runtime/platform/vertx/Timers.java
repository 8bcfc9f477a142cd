package io.quarkiverse.ratelimit.runtime.platform.vertx;

import java.time.Duration;

import io.smallrye.mutiny.TimeoutException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Vertx;

/**
 * Runs delayed actions without blocking a thread. Accepts any time, also one that is over. A failure to set a timer fails the
 * result, so that no caller waits forever.
 */
public record Timers(Vertx vertx) {

    /** Completes after this time, rounded up to the millisecond, on the event loop of the subscription. */
    public Uni<Void> after(Duration time) {
        return Uni.createFrom().emitter(waiting -> {
            long timer = set(time, () -> waiting.complete(null));
            waiting.onTermination(() -> vertx.cancelTimer(timer));
        });
    }

    /**
     * Returns the same result, or a {@link TimeoutException} if there is none after this time. Fails if the subscription
     * throws.
     */
    public <T> Uni<T> within(Duration time, Uni<T> result) {
        return Uni.createFrom().emitter(waiting -> {
            long timer = set(time, () -> waiting.fail(new TimeoutException()));
            Cancellable subscription = result.subscribe().with(waiting::complete, waiting::fail);
            waiting.onTermination(() -> {
                vertx.cancelTimer(timer);
                subscription.cancel();
            });
        });
    }

    /** Runs the task again and again, until the returned action cancels it. */
    public Runnable every(Duration time, Runnable task) {
        long timer = vertx.setPeriodic(millis(time), ignored -> task.run());
        return () -> vertx.cancelTimer(timer);
    }

    /** Runs the task after the current one. */
    public void soon(Runnable task) {
        vertx.runOnContext(ignored -> task.run());
    }

    private long set(Duration time, Runnable task) {
        return vertx.setTimer(millis(time), ignored -> task.run());
    }

    /** Rounds up to whole milliseconds. Vert.x accepts no time below one. */
    private static long millis(Duration time) {
        return Math.max(1, time.plusNanos(999_999).toMillis());
    }
}
