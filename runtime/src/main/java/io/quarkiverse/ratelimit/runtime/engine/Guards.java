package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUse;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.Charge;

/** Finds the guard of a method. */
public final class Guards {

    private final Map<String, Guard> byMethod = new HashMap<>();

    Guards(List<GuardedMethod> methods, Settings settings) {
        for (GuardedMethod method : methods) {
            List<Charge> charges = new ArrayList<>();
            for (PolicyUse use : method.uses()) {
                Policy policy = settings.policies().get(use.policy());
                if (settings.enabled() && policy.enabled()) {
                    charges.add(new Charge(policy, Call.of(use.cost()), settings.replicas()));
                }
            }
            byMethod.put(method.id(), new Guard(method.id(), method.resource(), charges));
        }
    }

    /** The guard of a bean's or resource's method; an empty one when nothing guards it. */
    public Guard of(Class<?> type, String method, Class<?>[] parameters) {
        StringBuilder id = new StringBuilder(type.getName()).append('#').append(method).append('(');
        for (int i = 0; i < parameters.length; i++) {
            id.append(i == 0 ? "" : ",").append(parameters[i].getName());
        }
        String key = id.append(')').toString();
        Guard guard = byMethod.get(key);
        return guard == null ? new Guard(key, false, List.of()) : guard;
    }
}
