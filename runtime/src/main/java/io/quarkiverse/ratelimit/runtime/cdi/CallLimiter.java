package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.reflect.Method;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Await;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.decision.Lease;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited bean methods before they run. The first call creates it, as beans and their interceptors may
 * exist before the configuration can be read.
 */
@ApplicationScoped
public class CallLimiter {

    private final RuleRegistry registry;
    private final Engine engine;
    private final RequestLookup requests;
    private final Map<MethodOfBean, CallRules> rulesOfMethod = new ConcurrentHashMap<>();

    CallLimiter(RuleRegistry registry, Engine engine, Instance<RequestLookup> requests) {
        this.registry = registry;
        this.engine = engine;
        this.requests = RequestLookup.of(requests);
    }

    Object decide(InvocationContext call) throws Exception {
        CallRules all = rulesOf(call);
        if (all.isEmpty() || all.method().ofClass() && RunningCall.isWithin(call.getTarget())) {
            return call.proceed();
        }
        if (all.method().byFilter()) {
            return new RunningCall(call.getTarget()).proceed(call);
        }
        CallRules rules = all.costing(call.getParameters());
        if (rules.isEmpty()) {
            return call.proceed();
        }
        Object[] keys = rules.keyArguments(call.getParameters());
        Class<?> type = call.getMethod().getReturnType();
        if (type == Uni.class) {
            return uni(rules, keys, call, running -> this.<Uni<Object>> proceed(call, running));
        }
        if (type == Multi.class) {
            return multi(rules, keys, call);
        }
        if (CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class)) {
            return uni(rules, keys, call,
                    running -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(call, running)))
                    .subscribeAsCompletionStage();
        }
        return blocking(rules, keys, call);
    }

    private Object blocking(CallRules rules, Object[] keys, InvocationContext call) throws Exception {
        if (!BlockingOperationControl.isBlockingAllowed()) {
            throw new IllegalStateException("@RateLimited on " + rules.method().id() + " must wait for its decision, which is"
                    + " not possible on an event loop. Call it from a worker or virtual thread (@Blocking, @RunOnVirtualThread)"
                    + " or let it return a Uni, Multi or CompletionStage.");
        }
        RunningCall running = new RunningCall(call.getTarget());
        try {
            await(allowed(rules, keys).invoke(running::holds));
            return running.proceed(call);
        } finally {
            running.end();
        }
    }

    private static void await(Uni<Lease> allowed) throws Exception {
        try {
            Await.interruptibly(allowed);
        } catch (CompletionException e) {
            throw e.getCause() instanceof ClosedChannelException clientLeft ? clientLeft : e;
        }
    }

    private Multi<Object> multi(CallRules rules, Object[] keys, InvocationContext call) {
        return Multi.createFrom().deferred(() -> {
            RunningCall running = new RunningCall(call.getTarget());
            return allowed(rules, keys, running).onItem()
                    .transformToMulti(ignored -> this.<Multi<Object>> proceed(call, running))
                    .onTermination().invoke(running::end);
        });
    }

    private Uni<Object> uni(CallRules rules, Object[] keys, InvocationContext call,
            Function<RunningCall, Uni<? extends Object>> proceed) {
        return Uni.createFrom().deferred(() -> {
            RunningCall running = new RunningCall(call.getTarget());
            return allowed(rules, keys, running).chain(() -> proceed.apply(running)).onTermination().invoke(running::end);
        });
    }

    private Uni<Lease> allowed(CallRules rules, Object[] keys, RunningCall running) {
        return CallerContext.keep(allowed(rules, keys).invoke(running::holds));
    }

    /**
     * Completes when the call may go ahead, with the lease to hold while it runs. Fails with the exception for a denied
     * call.
     */
    private Uni<Lease> allowed(CallRules rules, Object[] keys) {
        return Uni.createFrom().deferred(() -> {
            CurrentRequest request = requests.current();
            return request.callerFor(rules).chain(caller -> engine.decide(rules, caller, keys))
                    .map(outcome -> allowed(rules, outcome, request));
        });
    }

    private static Lease allowed(CallRules rules, Outcome outcome, CurrentRequest request) {
        RateLimitException denial = outcome.denial();
        if (rules.method().resource()) {
            if (!request.decided(outcome, denial)) {
                throw sneaky(new ClosedChannelException());
            }
        } else if (denial == null) {
            request.countByStatus(outcome);
        }
        if (denial != null) {
            throw denial;
        }
        return rules.method().resource() ? request.whileServed(outcome.lease())
                : rules.method().opensConnection() ? request.whileConnected(outcome.lease()) : outcome.lease();
    }

    @SuppressWarnings("unchecked")
    private <T> T proceed(InvocationContext call, RunningCall running) {
        try {
            return (T) running.proceed(call);
        } catch (Exception e) {
            throw sneaky(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
        throw (E) e;
    }

    private CallRules rulesOf(InvocationContext call) {
        MethodOfBean method = new MethodOfBean(LimitedType.of(call.getTarget()), call.getMethod());
        CallRules rules = rulesOfMethod.get(method);
        if (rules == null) {
            rules = registry.rules(method.bean, method.method.getName(), method.method.getParameterTypes());
            rulesOfMethod.put(method, rules);
        }
        return rules;
    }

    private record MethodOfBean(Class<?> bean, Method method) {
    }
}
