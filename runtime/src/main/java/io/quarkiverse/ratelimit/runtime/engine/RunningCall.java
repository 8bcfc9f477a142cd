package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Map;
import java.util.concurrent.Callable;

import org.eclipse.microprofile.context.spi.ThreadContextController;
import org.eclipse.microprofile.context.spi.ThreadContextSnapshot;

import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Scoped;
import io.smallrye.context.FastThreadContextProvider;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Releases the lease of a call when the call ends, even if it ends before it is allowed. Until then, it marks calls of the
 * same bean as calls within this one. If the bean is a client, the filters of its request find the outcome of the call.
 */
public final class RunningCall {

    /** Limited call that runs around the current code. {@link Propagation} passes it to other threads. */
    private static final ThreadLocal<RunningCall> CURRENT = new ThreadLocal<>();

    private final Object bean;
    /** Limited call that runs around this one; {@code null} for none. */
    private volatile RunningCall outer;
    private Lease lease = Lease.NONE;
    private volatile Outcome outcome = Outcome.NOT_LIMITED;
    private volatile boolean ended;

    public RunningCall(Object bean) {
        this.bean = bean;
    }

    /** Passes the call that runs on this thread, if any, to another one. */
    public static ThreadContextSnapshot snapshot() {
        return scope(CURRENT.get());
    }

    /** Makes this call, or none, the one that runs on a thread until the context ends. */
    private static ThreadContextSnapshot scope(RunningCall call) {
        return () -> {
            RunningCall before = CURRENT.get();
            CURRENT.set(call);
            return () -> CURRENT.set(before);
        };
    }

    /** Returns the outcome of the call that runs on this thread; {@code null} if that is no call of a client of this type. */
    public static Outcome outcome(Class<?> client) {
        RunningCall call = CURRENT.get();
        return call == null || call.ended || !client.isInstance(call.bean) ? null : call.outcome;
    }

    /** Returns whether the current code runs within a limited call of this bean. */
    public static boolean isWithin(Object bean) {
        for (RunningCall call = running(CURRENT.get()); call != null; call = call.outer) {
            if (call.bean == bean) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the first call that has not ended, of this one and those around it. Removes the references to calls that have
     * ended, because each call may start the next one, without an end.
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

    /** Calls the bean. A client sends the request of a {@code Uni} or {@code Multi} only at its subscription. */
    public Object proceed(Callable<Object> work) throws Exception {
        outer = running(CURRENT.get());
        ThreadContextController running = scope(this).begin();
        try {
            Object result = work.call();
            return !obeysRetryAfter() ? result
                    : result instanceof Uni<?> uni ? Scoped.uni(uni, this::runWithin)
                            : result instanceof Multi<?> multi ? Scoped.multi(multi, this::runWithin) : result;
        } finally {
            running.endContext();
        }
    }

    private boolean obeysRetryAfter() {
        for (Decision decision : outcome.obeying()) {
            if (!decision.appliedPolicy().obeyRetryAfter().isZero()) {
                return true;
            }
        }
        return false;
    }

    private void runWithin(Runnable subscription) {
        ThreadContextController running = scope(this).begin();
        try {
            subscription.run();
        } finally {
            running.endContext();
        }
    }

    public synchronized void holds(Outcome decided, Lease acquired) {
        outcome = decided;
        lease = acquired.confirm();
        if (ended) {
            lease.release();
        }
    }

    public synchronized void end() {
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
            return snapshot();
        }

        @Override
        public ThreadContextSnapshot clearedContext(Map<String, String> properties) {
            return scope(null);
        }

        @Override
        public String getThreadContextType() {
            return "io.quarkiverse.ratelimit.call";
        }
    }
}
