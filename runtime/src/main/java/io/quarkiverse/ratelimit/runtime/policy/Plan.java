package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;

/**
 * Replaces limits of a policy for some of its callers.
 *
 * @param name {@code null} for a plan that is not configured
 * @param unlimited whether the policy does not limit these callers
 * @param limits the limits that replace the policy's limits of the same names
 */
public record Plan(String name, boolean unlimited, List<PolicyLimit> limits) {

    /** A plan without limits that is not configured. */
    public static final Plan UNLIMITED = new Plan(null, true, List.of());

    public Plan {
        limits = List.copyOf(limits);
    }

    /** A plan that is not configured, with limits in place of the policy's limits of the same names. */
    public static Plan of(Policy policy, Map<String, Limit> limits) {
        return new Plan(null, false,
                policy.with(limits).limits().stream().filter(limit -> limits.containsKey(limit.name())).toList());
    }
}
