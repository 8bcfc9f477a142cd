package io.quarkiverse.ratelimit.runtime.engine.delay;

import java.util.concurrent.Semaphore;

/** A place among the delayed calls of this instance. A call that does not have to wait leaves it as soon as it is decided. */
public final class Place {

    private final Semaphore vacancies;
    private boolean taken;
    private boolean ended;

    public Place(Semaphore vacancies) {
        this.vacancies = vacancies;
    }

    /** Takes the place, unless it is taken already. Returns {@code false} if there is none, or the call has ended. */
    public synchronized boolean take() {
        taken = !ended && (taken || vacancies.tryAcquire());
        return taken;
    }

    /** Leaves the place. It cannot be taken again. */
    synchronized void leave() {
        ended = true;
        if (taken) {
            taken = false;
            vacancies.release();
        }
    }
}
