package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;

/**
 * Replaces limits of a policy for some of its callers.
 *
 * @param name {@code null} for a plan that is not configured
 * @param unlimited whether the policy does not limit these callers
 * @param limits the limits that replace the policy's limits of the same names
 */
public record Plan(String name, boolean unlimited, Map<String, Limit> limits) {

    /** A plan without limits that is not configured. */
    public static final Plan UNLIMITED = new Plan(null, true, Map.of());

    /**
     * The limits that code gives, under the names of the limits of a policy that they replace.
     *
     * @throws IllegalArgumentException when the policy has no limits of these names, or several limits but only one is given
     */
    public static Map<String, Limit> limits(RateLimitPlan given, Policy policy) {
        List<String> names = policy.limits().stream().map(PolicyLimit::name).toList();
        if (given.limit().isPresent()) {
            if (names.size() > 1) {
                throw new IllegalArgumentException(
                        "Policy " + policy.name() + " has several limits: " + names + ". Give a map of limits by name.");
            }
            return Map.of(names.get(0), given.limit().get());
        }
        for (String name : given.limits().keySet()) {
            if (!names.contains(name)) {
                throw new IllegalArgumentException("Policy " + policy.name() + " has no limit \"" + name + "\". Its limits: "
                        + names + ". Correct the name.");
            }
        }
        return given.limits();
    }
}
