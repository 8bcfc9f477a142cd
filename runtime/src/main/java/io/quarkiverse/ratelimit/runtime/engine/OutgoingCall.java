package io.quarkiverse.ratelimit.runtime.engine;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.mutiny.Scoped;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** A call of a limited client that begins on the current thread, so that the filters of its request find its outcome. */
public record OutgoingCall(Object client, Outcome outcome) implements Executor {

    private static final ThreadLocal<OutgoingCall> CURRENT = new ThreadLocal<>();

    /** The outcome of the call that begins on this thread; {@code null} if that is no call of a client of this type. */
    public static Outcome outcome(Class<?> type) {
        OutgoingCall call = CURRENT.get();
        return call == null || !type.isInstance(call.client) ? null : call.outcome;
    }

    /**
     * Calls a bean, which may be a client. A client sends the request of a {@code Uni} or {@code Multi} at its subscription.
     */
    public static Object proceed(Object bean, Outcome outcome, Callable<Object> work) throws Exception {
        if (outcome.all().stream().allMatch(decision -> decision.appliedPolicy().obeyRetryAfter().isZero())) {
            return work.call();
        }
        OutgoingCall call = new OutgoingCall(bean, outcome), outer = CURRENT.get();
        CURRENT.set(call);
        try {
            Object result = work.call();
            return result instanceof Uni<?> uni ? Scoped.uni(uni, call)
                    : result instanceof Multi<?> multi ? Scoped.multi(multi, call) : result;
        } finally {
            CURRENT.set(outer);
        }
    }

    /** The call that begins on this thread; {@code null} for none. */
    public static OutgoingCall current() {
        return CURRENT.get();
    }

    /** Continues to begin this call on another thread, until {@link #leave}. */
    public void enter() {
        CURRENT.set(this);
    }

    public static void leave() {
        CURRENT.remove();
    }

    @Override
    public void execute(Runnable subscription) {
        OutgoingCall outer = CURRENT.get();
        CURRENT.set(this);
        try {
            subscription.run();
        } finally {
            CURRENT.set(outer);
        }
    }
}
