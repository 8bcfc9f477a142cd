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
import io.quarkiverse.ratelimit.runtime.engine.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequests;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Lease;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
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
    private final CurrentRequests requests;
    private final Map<MethodOfBean, Guard> guardOfMethod = new ConcurrentHashMap<>();

    GuardedCalls(Guards guards, Engine engine, Instance<CurrentRequests> requests) {
        this.guards = guards;
        this.engine = engine;
        this.requests = requests.isResolvable() ? requests.get() : () -> CurrentRequest.NONE;
    }

    Object decide(InvocationContext call) throws Exception {
        Guard all = guardOf(call);
        if (all.isEmpty() || all.byFilter()) {
            return call.proceed();
        }
        Guard guard = all.costing(call.getParameters());
        if (guard.isEmpty()) {
            return call.proceed();
        }
        Object[] keys = guard.keyArguments(call.getParameters());
        Class<?> type = call.getMethod().getReturnType();
        if (type == Uni.class) {
            return uni(guard, keys, () -> this.<Uni<Object>> proceed(call));
        }
        if (type == Multi.class) {
            return Multi.createFrom().deferred(() -> {
                RunningCall running = new RunningCall();
                return admitted(guard, keys, running).onItem().transformToMulti(ignored -> this.<Multi<Object>> proceed(call))
                        .onTermination().invoke(running::end);
            });
        }
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return uni(guard, keys, () -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(call)))
                    .subscribeAsCompletionStage();
        }
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + guard.method() + " must wait for its decision, which is not"
                    + " possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Uni, Multi or CompletionStage.");
        }
        RunningCall running = new RunningCall();
        try {
            Await.interruptibly(admitted(guard, keys).invoke(running::holds));
            return call.proceed();
        } finally {
            running.end();
        }
    }

    private Uni<Object> uni(Guard guard, Object[] keys, Supplier<Uni<? extends Object>> proceed) {
        return Uni.createFrom().deferred(() -> {
            RunningCall running = new RunningCall();
            return admitted(guard, keys, running).chain(proceed).onTermination().invoke(running::end);
        });
    }

    private Uni<Lease> admitted(Guard guard, Object[] keys, RunningCall running) {
        return CallerContext.keep(admitted(guard, keys).invoke(running::holds));
    }

    /** Completes when the call may go ahead, with what it holds while it runs; else fails with what refuses it. */
    private Uni<Lease> admitted(Guard guard, Object[] keys) {
        return Uni.createFrom().deferred(() -> {
            CurrentRequest request = requests.current();
            return request.caller(guard.needsIdentity()).chain(caller -> engine.decide(guard, caller, keys))
                    .map(outcome -> admitted(guard, outcome, request));
        });
    }

    private static Lease admitted(Guard guard, Outcome outcome, CurrentRequest request) {
        RateLimitExceededException refusal = outcome.refusal();
        if (guard.resource()) {
            request.decided(outcome, refusal);
        } else if (refusal == null) {
            request.countByStatus(outcome);
        }
        if (refusal != null) {
            throw refusal;
        }
        return outcome.lease();
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
        MethodOfBean method = new MethodOfBean(GuardedType.of(call.getTarget()), call.getMethod());
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
