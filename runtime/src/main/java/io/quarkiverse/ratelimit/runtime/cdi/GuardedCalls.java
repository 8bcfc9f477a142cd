package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.CallerSource;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
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
            return CallerContext.keep(admitted(guard)).chain(() -> this.<Uni<Object>> proceed(call));
        }
        if (type == Multi.class) {
            return CallerContext.keep(admitted(guard)).onItem().transformToMulti(ignored -> this.<Multi<Object>> proceed(call));
        }
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return CallerContext.keep(admitted(guard))
                    .chain(() -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(call)))
                    .subscribeAsCompletionStage();
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + guard.method() + " must wait for its decision, which is not"
                    + " possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Uni, Multi or CompletionStage.");
        }
        admitted(guard).await().indefinitely();
        return call.proceed();
    }

    /** Completes when the call is admitted; else fails with what refuses it. */
    private Uni<Void> admitted(Guard guard) {
        return callers.current(guard.needsPrincipal()).chain(caller -> engine.decide(guard, caller))
                .map(outcome -> {
                    RateLimitExceededException refusal = outcome.refusal();
                    if (refusal != null) {
                        throw refusal;
                    }
                    return null;
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
    private static <E extends Exception> RuntimeException sneaky(Exception e) throws E {
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
