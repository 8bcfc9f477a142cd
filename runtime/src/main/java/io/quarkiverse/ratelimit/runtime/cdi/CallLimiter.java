package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkus.arc.Subclass;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Decides calls of limited bean methods before they run. The first call creates it, as beans and their interceptors may
 * exist before the configuration can be read.
 */
@ApplicationScoped
public class CallLimiter {

    /** The suffix of the bean that Quarkus creates for the interface of a REST client. */
    private static final String REST_CLIENT = "$$CDIWrapper";

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
        if (all.charges().isEmpty() || all.method().ofClass() && RunningCall.isWithin(call.getTarget())) {
            return call.proceed();
        }
        if (all.method().byFilter()) {
            return new RunningCall(call.getTarget()).proceed(call);
        }
        CallRules rules = all.costing(call.getParameters());
        if (rules.charges().isEmpty()) {
            return call.proceed();
        }
        CallDecision decision = new CallDecision(engine, requests, rules, rules.keyArguments(call.getParameters()), call);
        Class<?> type = call.getMethod().getReturnType();
        if (type == Uni.class) {
            return decision.uni();
        }
        if (type == Multi.class) {
            return decision.multi();
        }
        boolean stage = CompletionStage.class.isAssignableFrom(type) && type.isAssignableFrom(CompletableFuture.class);
        return stage ? decision.stage() : decision.result();
    }

    private CallRules rulesOf(InvocationContext call) {
        MethodOfBean method = new MethodOfBean(limitedType(call.getTarget()), call.getMethod());
        CallRules rules = rulesOfMethod.get(method);
        if (rules == null) {
            rules = registry.rules(method.bean, method.method.getName(), method.method.getParameterTypes());
            rulesOfMethod.put(method, rules);
        }
        return rules;
    }

    private record MethodOfBean(Class<?> bean, Method method) {
    }

    /** The class or interface that declares the limits for the calls of a bean. */
    private static Class<?> limitedType(Object bean) {
        Class<?> type = bean instanceof Subclass ? bean.getClass().getSuperclass() : bean.getClass();
        if (Proxy.isProxyClass(type)) {
            // a client of RESTEasy Classic
            return type.getInterfaces()[0];
        }
        if (type.getName().endsWith(REST_CLIENT)) {
            for (Class<?> client : type.getInterfaces()) {
                if (type.getName().equals(client.getName() + REST_CLIENT)) {
                    return client;
                }
            }
        }
        return type;
    }
}
