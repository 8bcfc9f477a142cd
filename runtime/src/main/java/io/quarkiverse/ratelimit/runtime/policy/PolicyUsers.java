package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/** Everything in the application that names policies, as found at build time. */
public record PolicyUsers(List<GuardedMethod> methods, List<InjectedLimiter> limiters) {

    /** How many arguments of guarded methods belong to a policy's key, at most. */
    public int keyArguments(String policy) {
        int most = 0;
        for (GuardedMethod method : methods) {
            if (method.uses().stream().anyMatch(use -> use.policy().equals(policy))) {
                most = Math.max(most, method.parameters().keys().size());
            }
        }
        return most;
    }
}
