package io.quarkiverse.ratelimit.runtime.entry.cdi;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.RunningCall;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Await;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.OfConnection;
import io.quarkus.arc.Subclass;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited bean methods before they run. The first call creates it, as beans and their interceptors may
 * exist before the configuration can be read.
 */
@ApplicationScoped
public class CallLimiter {

    /** The suffix of the bean that Quarkus creates for the interface of a REST client. RESTEasy Classic has a proxy instead. */
    public static final String CLIENT_BEAN = "$$CDIWrapper";

    private final RuleRegistry registry;
    private final Engine engine;
    private final RequestLookup requests;

    CallLimiter(RuleRegistry registry, Engine engine, Instance<RequestLookup> requests) {
        this.registry = registry;
        this.engine = engine;
        this.requests = RequestLookup.of(requests);
    }

    Object decide(InvocationContext call) throws Exception {
        Method method = call.getMethod();
        CallRules rules = registry.rules(limitedType(call.getTarget()), method);
        if (rules.charges().isEmpty() || rules.method().ofClass() && RunningCall.isWithin(call.getTarget())) {
            return call.proceed();
        }
        if (rules.method().byFilter()) {
            return new RunningCall(call.getTarget()).proceed(call::proceed);
        }
        CallDecision decision = new CallDecision(this, rules, rules.keyArguments(call.getParameters()), call);
        Class<?> type = method.getReturnType();
        if (type == Uni.class) {
            return decision.uni(decision::<Uni<Object>> proceed);
        }
        if (type == Multi.class) {
            return decision.multi();
        }
        boolean stage = CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class);
        return stage ? decision.stage() : decision.result();
    }

    /** Returns the class or interface that declares the limits for the calls of a bean. */
    private static Class<?> limitedType(Object bean) {
        Class<?> type = bean instanceof Subclass ? bean.getClass().getSuperclass() : bean.getClass();
        boolean isClient = Proxy.isProxyClass(type) || type.getName().endsWith(CLIENT_BEAN);
        return isClient ? type.getInterfaces()[0] : type;
    }

    /** Decides one call, and lets it proceed if it is allowed, with the kind of result that its method has. */
    private record CallDecision(CallLimiter limiter, CallRules rules, List<KeyArgument> keys, InvocationContext call) {

        Object result() throws Exception {
            if (!BlockingOperationControl.isBlockingAllowed()) {
                throw new IllegalStateException("@RateLimited on " + rules.method().id() + " must wait for its decision,"
                        + " which is not possible on an event loop. Call it from a worker or virtual thread (@Blocking,"
                        + " @RunOnVirtualThread) or let it return a Uni, Multi or CompletionStage.");
            }
            RunningCall running = new RunningCall(call.getTarget());
            try {
                Await.interruptibly(decided(running));
                return running.proceed(call::proceed);
            } finally {
                running.end();
            }
        }

        Multi<Object> multi() {
            return Multi.createFrom().deferred(() -> {
                RunningCall running = new RunningCall(call.getTarget());
                return CallerContext.onCallerThread(decided(running)).onItem()
                        .transformToMulti(ignored -> this.<Multi<Object>> proceed(running))
                        .onTermination().invoke(running::end);
            });
        }

        CompletionStage<Object> stage() {
            return uni(running -> Uni.createFrom().completionStage(this.<CompletionStage<Object>> proceed(running)))
                    .subscribeAsCompletionStage();
        }

        Uni<Object> uni(Function<RunningCall, Uni<?>> proceed) {
            return Uni.createFrom().deferred(() -> {
                RunningCall running = new RunningCall(call.getTarget());
                return CallerContext.onCallerThread(decided(running)).chain(() -> proceed.apply(running))
                        .onTermination().invoke(running::end);
            });
        }

        /** Completes when the call may go ahead. Fails with the exception for a denied call. */
        private Uni<Outcome> decided(RunningCall running) {
            CurrentRequest request = limiter.requests.current();
            CallRules costing = rules.costing(call.getParameters());
            Uni<Outcome> decision = request.callerFor(rules).chain(caller -> limiter.engine.decide(costing, caller, keys));
            return (rules.method().servesClient() ? request.whileClientWaits(decision, rules) : decision)
                    .invoke(outcome -> running.holds(outcome, lease(outcome, request)));
        }

        private Lease lease(Outcome outcome, CurrentRequest request) {
            boolean resource = rules.method().resource();
            RateLimitException denial = outcome.newDenial();
            RuntimeException failure = resource ? request.apply(outcome, denial) : denial;
            if (failure != null) {
                throw failure;
            }
            if (resource) {
                return request.whileServed(outcome.lease());
            }
            if (!request.refundByStatusAtEnd(outcome)) {
                limiter.engine.notifyCounted(outcome);
            }
            return rules.method().connection() == OfConnection.OPENING ? request.whileConnected(outcome.lease())
                    : outcome.lease();
        }

        @SuppressWarnings("unchecked")
        private <T> T proceed(RunningCall running) {
            try {
                return (T) running.proceed(call::proceed);
            } catch (Exception e) {
                throw sneaky(e);
            }
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E {
            throw (E) e;
        }
    }
}
