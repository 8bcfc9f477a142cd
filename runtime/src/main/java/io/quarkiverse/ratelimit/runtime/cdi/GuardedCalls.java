package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.Await;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.CallerSource;
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkus.arc.Subclass;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of guarded bean methods before they run. It is created by the first call: beans and their interceptors
 * may exist before the configuration can be read.
 */
@ApplicationScoped
public class GuardedCalls {

    private final Guards guards;
    private final Engine engine;
    private final CallerSource callers;
    private final Map<MethodOfBean, Guard> guardOfMethod = new ConcurrentHashMap<>();

    GuardedCalls(Guards guards, Engine engine, Instance<CallerSource> callers) {
        this.guards = guards;
        this.engine = engine;
        this.callers = callers.isResolvable() ? callers.get() : withPrincipal -> Uni.createFrom().item(Caller.UNKNOWN);
    }

    Object decide(InvocationContext call) throws Exception {
        Guard guard = guardOf(call);
        if (guard.isEmpty() || guard.resource()) {
            return call.proceed();
        }
        Class<?> type = call.getMethod().getReturnType();
        if (type == Uni.class) {
            return uni(guard, () -> this.<Uni<Object>> proceed(call));
        }
        if (type == Multi.class) {
            return Multi.createFrom().deferred(() -> {
                RunningCall running = new RunningCall();
                return admitted(guard, running).onItem().transformToMulti(ignored -> this.<Multi<Object>> proceed(call))
                        .onTermination().invoke(running::end);
            });
        }
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return uni(guard, () -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(call)))
                    .subscribeAsCompletionStage();
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + guard.method() + " must wait for its decision, which is not"
                    + " possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Uni, Multi or CompletionStage.");
        }
        RunningCall running = new RunningCall();
        try {
            Await.interruptibly(admitted(guard).invoke(running::holds));
            return call.proceed();
        } finally {
            running.end();
        }
    }

    private Uni<Object> uni(Guard guard, Supplier<Uni<? extends Object>> proceed) {
        return Uni.createFrom().deferred(() -> {
            RunningCall running = new RunningCall();
            return admitted(guard, running).chain(proceed).onTermination().invoke(running::end);
        });
    }

    private Uni<Lease> admitted(Guard guard, RunningCall running) {
        return CallerContext.keep(admitted(guard).invoke(running::holds));
    }

    /** Completes when the call may go ahead, with what it holds while it runs; else fails with what refuses it. */
    private Uni<Lease> admitted(Guard guard) {
        return callers.current(guard.needsPrincipal()).chain(caller -> engine.decide(guard, caller))
                .map(outcome -> {
                    RateLimitExceededException refusal = outcome.refusal();
                    if (refusal != null) {
                        throw refusal;
                    }
                    return outcome.lease();
                });
    }

    @SuppressWarnings("unchecked")
    private <T> T proceed(InvocationContext call) {
        try {
            return (T) call.proceed();
        } catch (Exception e) {
            throw sneaky(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
        throw (E) e;
    }

    private Guard guardOf(InvocationContext call) {
        Class<?> type = call.getTarget().getClass();
        MethodOfBean method = new MethodOfBean(call.getTarget() instanceof Subclass ? type.getSuperclass() : type,
                call.getMethod());
        Guard guard = guardOfMethod.get(method);
        if (guard == null) {
            guard = guards.of(method.bean, method.method.getName(), method.method.getParameterTypes());
            guardOfMethod.put(method, guard);
        }
        return guard;
    }

    private record MethodOfBean(Class<?> bean, Method method) {
    }
}
