package io.quarkiverse.ratelimit.runtime.cdi;

import io.quarkiverse.ratelimit.runtime.engine.Lease;

/** Releases the lease of a call when the call ends, even if it ends before it is allowed. */
final class RunningCall {

    private Lease lease = Lease.NONE;
    private boolean ended;

    synchronized void holds(Lease acquired) {
        lease = acquired.confirm();
        if (ended) {
            lease.release();
        }
    }

    synchronized void end() {
        ended = true;
        lease.release();
    }
}
