package io.quarkiverse.ratelimit.runtime.cdi;

import java.util.Map;

import jakarta.interceptor.InvocationContext;

import org.eclipse.microprofile.context.spi.ThreadContextSnapshot;

import io.quarkiverse.ratelimit.runtime.engine.OutgoingCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.smallrye.context.FastThreadContextProvider;

/**
 * Releases the lease of a call when the call ends, even if it ends before it is allowed. Until then, it marks calls of the
 * same bean as calls within this one.
 */
public final class RunningCall {

    /** The limited call that runs around the current code. {@link Propagation} passes it to other threads. */
    private static final ThreadLocal<RunningCall> CURRENT = new ThreadLocal<>();

    private final Object bean;
    /** The limited call that runs around this one; {@code null} for none. */
    private volatile RunningCall outer;
    private Lease lease = Lease.NONE;
    private volatile Outcome outcome = Outcome.NOT_LIMITED;
    private volatile boolean ended;

    RunningCall(Object bean) {
        this.bean = bean;
    }

    /** Whether the current code runs within a limited call of this bean. */
    static boolean isWithin(Object bean) {
        for (RunningCall call = running(CURRENT.get()); call != null; call = call.outer) {
            if (call.bean == bean) {
                return true;
            }
        }
        return false;
    }

    /**
     * The first call that has not ended, of this one and those around it. Calls that have ended are no longer referenced then,
     * as a call may start the next one, which starts the next one, for ever.
     */
    private static RunningCall running(RunningCall call) {
        RunningCall running = call;
        while (running != null && running.ended) {
            running = running.outer;
        }
        if (running != null) {
            running.outer = running(running.outer);
        }
        return running;
    }

    Object proceed(InvocationContext call) throws Exception {
        RunningCall before = CURRENT.get();
        outer = running(before);
        CURRENT.set(this);
        try {
            return OutgoingCall.proceed(bean, outcome, call::proceed);
        } finally {
            CURRENT.set(before);
        }
    }

    synchronized void holds(Outcome decided, Lease acquired) {
        outcome = decided;
        lease = acquired.confirm();
        if (ended) {
            lease.release();
        }
    }

    synchronized void end() {
        ended = true;
        lease.release();
    }

    /** Passes the running call to continuations on other threads, so that calls within it are recognized there. */
    public static final class Propagation implements FastThreadContextProvider {

        @Override
        public ThreadLocal<?> threadLocal(Map<String, String> properties) {
            return CURRENT;
        }

        @Override
        public ThreadContextSnapshot currentContext(Map<String, String> properties) {
            return of(CURRENT.get());
        }

        @Override
        public ThreadContextSnapshot clearedContext(Map<String, String> properties) {
            return of(null);
        }

        private static ThreadContextSnapshot of(RunningCall call) {
            return () -> {
                RunningCall outer = CURRENT.get();
                CURRENT.set(call);
                return () -> CURRENT.set(outer);
            };
        }

        @Override
        public String getThreadContextType() {
            return "io.quarkiverse.ratelimit.call";
        }
    }
}
