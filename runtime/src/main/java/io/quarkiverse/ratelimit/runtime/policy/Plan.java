package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

/**
 * Other numbers of a policy, for some of its callers.
 *
 * @param unlimited whether they are not limited at all
 * @param limits those that differ from the policy's own, whose names they have
 */
public record Plan(String name, boolean unlimited, List<PolicyLimit> limits) {

    public Plan {
        limits = List.copyOf(limits);
    }
}
