package io.quarkiverse.ratelimit.runtime.policy;

import java.util.Map;

import io.quarkiverse.ratelimit.Limit;

/**
 * Replaces limits of a policy for some of its callers.
 *
 * @param name {@code null} for a plan that is not configured
 * @param unlimited true if the policy does not limit these callers
 * @param limits limits that replace the policy's limits of the same names
 */
public record Plan(String name, boolean unlimited, Map<String, Limit> limits, LastVariant variant) {

    /** Plan without limits that is not configured. */
    public static final Plan UNLIMITED = new Plan(null, true, Map.of());

    public Plan(String name, boolean unlimited, Map<String, Limit> limits) {
        this(name, unlimited, limits, new LastVariant());
    }
}
