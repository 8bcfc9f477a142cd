package io.quarkiverse.ratelimit.runtime.cdi;

import io.quarkiverse.ratelimit.runtime.engine.Lease;

/** Gives back what a call holds when it ends, also when it has ended before it was admitted. */
final class RunningCall {

    private Lease lease = Lease.NONE;
    private boolean ended;

    synchronized void holds(Lease held) {
        lease = held.hold();
        if (ended) {
            lease.release();
        }
    }

    synchronized void end() {
        ended = true;
        lease.release();
    }
}
