package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.Charge;

/** Finds the guard of a method, and makes those of routes. */
public final class Guards {

    private final Map<String, Guard> byMethod = new HashMap<>();

    private final Settings settings;

    Guards(List<GuardedMethod> methods, Settings settings) {
        this.settings = settings;
        for (GuardedMethod method : methods) {
            List<Charge> charges = new ArrayList<>();
            for (PolicyUse use : method.uses()) {
                Policy policy = settings.policies().get(use.policy());
                if (isInForce(policy)) {
                    charges.add(charge(policy, use.cost()));
                }
            }
            byMethod.put(method.id(), Guard.of(method, charges));
        }
    }

    /** The guard of requests that meet these routes, each policy counted once. */
    public Guard of(List<Route> routes) {
        Map<String, Charge> byPolicy = new LinkedHashMap<>();
        for (Route route : routes) {
            if (isInForce(route.policy())) {
                byPolicy.computeIfAbsent(route.policy().name(), ignored -> charge(route.policy(), 1));
            }
        }
        return Guard.ofRoutes(List.copyOf(byPolicy.values()));
    }

    private boolean isInForce(Policy policy) {
        return settings.enabled() && policy.enabled();
    }

    private Charge charge(Policy policy, long cost) {
        return new Charge(policy, Call.of(cost), settings.replicas());
    }

    /** The guard of a bean's or resource's method; an empty one when nothing guards it. */
    public Guard of(Class<?> type, String method, Class<?>[] parameters) {
        String id = type.getName() + GuardedMethod.signature(method, parameters);
        Guard guard = byMethod.get(id);
        return guard == null ? Guard.none(id) : guard;
    }
}
