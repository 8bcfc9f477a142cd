package io.quarkiverse.ratelimit.runtime.cdi;

import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.runtime.engine.Lease;

/**
 * Releases the lease of a call when the call ends, even if it ends before it is allowed. Until then, it marks calls of the
 * same bean as calls within this one.
 */
final class RunningCall {

    /** The limited call that runs around the current code. {@link CallPropagation} passes it to other threads. */
    static final ThreadLocal<RunningCall> CURRENT = new ThreadLocal<>();

    private final Object bean;
    private Lease lease = Lease.NONE;
    private boolean ended;

    RunningCall(Object bean) {
        this.bean = bean;
    }

    /** Whether the current code runs within a limited call of this bean. */
    static boolean isWithin(Object bean) {
        RunningCall running = CURRENT.get();
        return running != null && running.bean == bean && !running.hasEnded();
    }

    Object proceed(InvocationContext call) throws Exception {
        RunningCall outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return call.proceed();
        } finally {
            CURRENT.set(outer);
        }
    }

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

    private synchronized boolean hasEnded() {
        return ended;
    }
}
