package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;

/** Finds the rules of a method, and creates those of routes. */
public final class RuleRegistry {

    private final Map<String, CallRules> byMethod = new HashMap<>();
    private final Map<MethodOfType, CallRules> found = new ConcurrentHashMap<>();
    /** Charges by policy, each prepared for all requests. */
    private final Map<String, Charge> ofRoutes = new ConcurrentHashMap<>();
    private final Settings settings;

    private record MethodOfType(Class<?> type, Method method) {
    }

    public RuleRegistry(List<LimitedMethod> methods, Settings settings) {
        this.settings = settings;
        for (LimitedMethod method : methods) {
            List<Charge> charges = new ArrayList<>();
            Map<String, List<Charge>> overflows = new LinkedHashMap<>();
            for (PolicyUse use : method.uses()) {
                Policy policy = settings.policies().get(use.policy());
                if (isEnabled(policy)) {
                    charges.add(new Charge(policy, PermitRequest.of(use.cost())));
                    addOverflows(use.policy(), overflow -> new Charge(overflow, PermitRequest.of(use.cost())), overflows);
                }
            }
            CallRules rules = CallRules.of(method, charges, overflows);
            boolean besideRoutes = method.resource() && !settings.routes().isEmpty();
            byMethod.put(method.id(), besideRoutes ? rules.sharingRequests() : rules);
        }
    }

    /** Returns the rules of requests that match these routes; each policy counts once. */
    public CallRules rules(List<Route> routes) {
        Map<String, Charge> byPolicy = new LinkedHashMap<>();
        for (Route route : routes) {
            if (isEnabled(route.policy())) {
                byPolicy.put(route.policy().name(), ofRoutes(route.policy()));
            }
        }
        Map<String, List<Charge>> overflows = new LinkedHashMap<>();
        byPolicy.keySet().forEach(policy -> addOverflows(policy, this::ofRoutes, overflows));
        return CallRules.of(CallRules.ROUTES, List.copyOf(byPolicy.values()), overflows).sharingRequests();
    }

    /** Returns whether the chains of two routes meet in a policy, so that a request may have to ask it for both. */
    public boolean routesMeet() {
        Set<String> routed = new HashSet<>(), asked = new HashSet<>();
        return settings.routes().stream().map(Route::policy).filter(policy -> policy != null && routed.add(policy.name()))
                .flatMap(policy -> settings.chain(policy.name()).stream()).anyMatch(policy -> !asked.add(policy.name()));
    }

    private Charge ofRoutes(Policy policy) {
        return ofRoutes.computeIfAbsent(policy.name(), ignored -> new Charge(policy, PermitRequest.of(1)));
    }

    /** Adds the charges of the overflows of a policy that are enabled, if there are any. */
    private void addOverflows(String policy, Function<Policy, Charge> charge, Map<String, List<Charge>> overflows) {
        if (settings.overflows().containsKey(policy)) {
            overflows.put(policy, new ArrayList<>(
                    settings.chain(policy).stream().skip(1).filter(this::isEnabled).map(charge).toList()));
        }
    }

    private boolean isEnabled(Policy policy) {
        return settings.enabled() && policy.enabled();
    }

    /** Returns rules like {@link #rules(Class, String, Class[])}, but composes the id of the method only once. */
    public CallRules rules(Class<?> type, Method method) {
        return found.computeIfAbsent(new MethodOfType(type, method),
                key -> rules(type, method.getName(), method.getParameterTypes()));
    }

    /** Returns the rules of a method of a bean or resource; empty when nothing limits it. */
    public CallRules rules(Class<?> type, String method, Class<?>[] parameters) {
        String id = type.getName() + LimitedMethod.signature(method, parameters);
        CallRules rules = byMethod.get(id);
        return rules == null ? CallRules.of(LimitedMethod.unlimited(id), List.of()) : rules;
    }
}
