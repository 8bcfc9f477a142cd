package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.settings.Settings;

/** Finds the rules of a method, and creates those of routes. */
public final class RuleRegistry {

    private final Map<String, CallRules> byMethod = new HashMap<>();
    private final Map<MethodOfType, CallRules> found = new ConcurrentHashMap<>();
    /** By policy, as a charge is prepared for all requests. */
    private final Map<String, Charge> ofRoutes = new ConcurrentHashMap<>();
    private final Settings settings;

    private record MethodOfType(Class<?> type, Method method) {
    }

    public RuleRegistry(List<LimitedMethod> methods, Settings settings) {
        this.settings = settings;
        for (LimitedMethod method : methods) {
            List<Charge> charges = new ArrayList<>();
            for (PolicyUse use : method.uses()) {
                Policy policy = settings.policies().get(use.policy());
                if (isEnabled(policy)) {
                    charges.add(new Charge(policy, PermitRequest.of(use.cost())));
                }
            }
            CallRules rules = CallRules.of(method, charges);
            boolean besideRoutes = method.resource() && !settings.routes().isEmpty();
            byMethod.put(method.id(), besideRoutes ? rules.sharingRequests() : rules);
        }
    }

    /** The rules of requests that match these routes; each policy counts once. */
    public CallRules rules(List<Route> routes) {
        Map<String, Charge> byPolicy = new LinkedHashMap<>();
        for (Route route : routes) {
            if (isEnabled(route.policy())) {
                byPolicy.put(route.policy().name(), ofRoutes.computeIfAbsent(route.policy().name(),
                        ignored -> new Charge(route.policy(), PermitRequest.of(1))));
            }
        }
        return CallRules.of(CallRules.ROUTES, List.copyOf(byPolicy.values())).sharingRequests();
    }

    private boolean isEnabled(Policy policy) {
        return settings.enabled() && policy.enabled();
    }

    /** Like {@link #rules(Class, String, Class[])}, but composes the id of the method only once. */
    public CallRules rules(Class<?> type, Method method) {
        return found.computeIfAbsent(new MethodOfType(type, method),
                key -> rules(type, method.getName(), method.getParameterTypes()));
    }

    /** The rules of a method of a bean or resource; empty when nothing limits it. */
    public CallRules rules(Class<?> type, String method, Class<?>[] parameters) {
        String id = type.getName() + LimitedMethod.signature(method, parameters);
        CallRules rules = byMethod.get(id);
        return rules == null ? CallRules.of(LimitedMethod.unlimited(id), List.of()) : rules;
    }
}
