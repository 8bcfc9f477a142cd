package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;

/** Checks limits that replace those of a policy at run time. */
public final class LimitsByName {

    private LimitsByName() {
    }

    /**
     * Returns the limit under the name of the policy's only limit.
     *
     * @throws IllegalArgumentException when the policy has several limits, or the limit is {@code null}
     */
    public static Map<String, Limit> only(Policy policy, Limit limit) {
        List<String> names = names(policy);
        if (names.size() > 1) {
            throw new IllegalArgumentException(
                    "Policy " + policy.name() + " has several limits: " + names + ". Give a map of limits by name.");
        }
        return Map.of(names.get(0), required("limit", limit));
    }

    /**
     * Returns the limits if the policy has limits of these names.
     *
     * @throws IllegalArgumentException when it does not, or there is no limit, or a limit is {@code null}
     */
    public static Map<String, Limit> known(Policy policy, Map<String, Limit> limits) {
        List<String> names = names(policy);
        if (required("limits", limits).isEmpty()) {
            throw new IllegalArgumentException(
                    "The override of policy " + policy.name() + " has no limit. Its limits: " + names);
        }
        limits.forEach((name, limit) -> {
            required("limit " + name, limit);
            if (!names.contains(name)) {
                throw new IllegalArgumentException("Policy " + policy.name() + " has no limit \"" + name + "\". Its limits: "
                        + names + ". Correct the name.");
            }
        });
        return limits;
    }

    private static List<String> names(Policy policy) {
        return policy.limits().stream().map(PolicyLimit::name).toList();
    }

    private static <T> T required(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required, but is null");
        }
        return value;
    }
}
