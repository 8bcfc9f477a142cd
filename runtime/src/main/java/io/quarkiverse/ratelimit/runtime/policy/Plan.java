package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * Replaces limits of a policy for some of its callers.
 *
 * @param unlimited whether the policy does not limit these callers
 * @param limits the limits that replace the policy's limits of the same names
 */
public record Plan(String name, boolean unlimited, List<PolicyLimit> limits) {

    public Plan {
        limits = List.copyOf(limits);
    }
}
