package io.quarkiverse.ratelimit.runtime.observe;

import java.util.concurrent.Semaphore;

import jakarta.enterprise.event.Event;

import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;

/** Fires events of one type to asynchronous observers, and does not wait for them. */
final class AsyncEvents<E> {

    /** The most events whose observers have not finished. Further events are dropped. */
    private static final int MAX_UNFINISHED = 1_000;

    private final Event<E> event;
    private final FailureLog failures;
    private final Semaphore places = new Semaphore(MAX_UNFINISHED);

    AsyncEvents(Event<E> event, Class<E> type) {
        this.event = event;
        this.failures = new FailureLog(type.getSimpleName());
    }

    void fire(E fired) {
        if (!places.tryAcquire()) {
            return;
        }
        try {
            event.fireAsync(fired).whenComplete((ignored, failure) -> {
                places.release();
                if (failure != null) {
                    failures.failed(failure);
                }
            });
        } catch (RuntimeException executorStopped) {
            places.release();
            throw executorStopped;
        }
    }
}
