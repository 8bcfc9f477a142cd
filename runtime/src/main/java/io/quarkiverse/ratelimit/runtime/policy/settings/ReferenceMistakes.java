package io.quarkiverse.ratelimit.runtime.policy.settings;

import static java.util.stream.Collectors.joining;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.RouteConfig;
import io.smallrye.config.EnvConfigSource;

/** Reports annotations and routes that do not fit the configured policies. */
record ReferenceMistakes(PropertyGroup root, SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes) {

    private static final long COST_OF_ROUTES = 1;

    void report(PolicyReferences references) {
        for (InjectedLimiter limiter : references.limiters()) {
            if (!policies.containsKey(limiter.policy())) {
                reportUnknown(limiter.policy(), "@RateLimitPolicy(\"" + limiter.policy() + "\") on " + limiter.place());
            }
        }
        for (String property : references.properties()) {
            requirePolicies(property);
        }
        Map<String, TreeSet<String>> withoutKey = new TreeMap<>();
        for (LimitedMethod method : references.methods()) {
            requireOneKey(method);
            for (PolicyUse use : method.uses()) {
                String annotation = "@RateLimited(\"" + use.policy() + "\") on " + method.id();
                if (!policies.containsKey(use.policy())) {
                    reportUnknown(use.policy(), annotation);
                } else if (method.parameters().keys(use.policy()).isEmpty() && policies.get(use.policy()).key().isEmpty()) {
                    withoutKey.computeIfAbsent(use.policy(), policy -> new TreeSet<>()).add(annotation);
                }
                checkCost(method, use, annotation);
            }
        }
        for (String name : routes.keySet()) {
            String policy = routes.get(name).policy().orElse("").strip();
            if (policies.containsKey(policy)) {
                withoutKey.computeIfAbsent(policy, ignored -> new TreeSet<>())
                        .add(PropertyPath.ROOT.child("routes", name).toString());
            }
        }
        for (String policy : withoutKey.keySet()) {
            requireKey(policy, withoutKey.get(policy));
        }
    }

    /**
     * Requires that an argument names its policy. In the keys of all policies, it would make a limit per address one per
     * address and user.
     */
    private void requireOneKey(LimitedMethod method) {
        boolean namesNoPolicy = false;
        for (CallParameters.Key key : method.parameters().keys()) {
            namesNoPolicy |= key.policies().isEmpty();
        }
        if (!namesNoPolicy) {
            return;
        }
        Map<String, String> keys = new LinkedHashMap<>();
        for (PolicyUse use : method.uses()) {
            PolicyConfig policy = policies.get(use.policy());
            if (policy != null) {
                keys.put(use.policy(), policy.key().map(ReferenceMistakes::notation).orElse("none"));
            }
        }
        if (new HashSet<>(keys.values()).size() > 1) {
            root.mistakes().add("@RateLimitKey on " + method.id() + " would belong to the key of each of its policies, but"
                    + " these keys differ: " + keys.entrySet().stream()
                            .map(policy -> policy.getKey() + " (key: " + policy.getValue() + ")").collect(joining(", "))
                    + ". Name the policies whose key the argument belongs to, as in @RateLimitKey(policies = \""
                    + keys.keySet().iterator().next() + "\").");
        }
    }

    /**
     * Returns the key in the form that is compared. A key with mistakes, which are reported elsewhere, is compared as it is
     * written.
     */
    private static String notation(String key) {
        try {
            return KeyParser.parse(key, null).toString();
        } catch (IllegalArgumentException reported) {
            return key;
        }
    }

    private void checkCost(LimitedMethod method, PolicyUse use, String annotation) {
        if (use.cost() > Limit.MAX_HELD_PERMITS && limitsConcurrency(use.policy())) {
            root.mistakes().add(annotation + " has cost=" + use.cost() + ", but its policy limits concurrency. Give it a cost"
                    + " from 1 to " + Limit.MAX_HELD_PERMITS + ", or set counts=calls on the concurrency limit.");
        } else if (method.resource() && method.parameters().keys(use.policy()).isEmpty()) {
            requireCostOfRoutes(use, method.parameters().cost() != CallParameters.NO_COST, annotation);
        }
    }

    /**
     * Requires that a route and an annotation with the same policy and key charge the same, because a request that meets both
     * is counted once. Whether it meets both depends on its path, which is known only later.
     */
    private void requireCostOfRoutes(PolicyUse use, boolean byArgument, String annotation) {
        if (use.cost() == COST_OF_ROUTES && !byArgument) {
            return;
        }
        routes.forEach((name, route) -> {
            if (route.policy().map(String::strip).filter(use.policy()::equals).isPresent()) {
                root.mistakes()
                        .add(annotation + (byArgument ? " has a cost by @RateLimitCost" : " has cost=" + use.cost()) + ", but "
                                + PropertyPath.ROOT.child("routes", name) + ".policy=" + use.policy() + " charges each request "
                                + COST_OF_ROUTES + ". A request that meets both is counted once, so both must charge the same."
                                + " Remove the cost, or give the route or the method a policy of its own.");
            }
        });
    }

    private boolean limitsConcurrency(String policy) {
        PolicyConfig config = policies.get(policy);
        return config != null && Stream.concat(Stream.of(config), config.limits().values().stream())
                .anyMatch(limit -> limit.algorithm().has("lease-time") && limit.counts() == Counts.COST);
    }

    /** Requires that the names of these properties end with a policy, perhaps as an environment variable spells it. */
    private void requirePolicies(String property) {
        // a slash is the character after a dot
        root.given().values.subMap(property + '.', property + '/').forEach((name, value) -> {
            String policy = PropertyPath.of(name).last();
            boolean byVariable = value.getConfigSourceName().startsWith(EnvConfigSource.NAME);
            if (policies.keySet().stream().noneMatch(configured -> configured.equals(policy)
                    || byVariable && PropertyPath.variable(configured).equals(PropertyPath.variable(policy)))) {
                reportUnknown(policy, name);
            }
        });
    }

    private void reportUnknown(String policy, String user) {
        root.mistakes().add(user + " " + PropertyGroup.namesNoPolicy(policy, policies.keySet()));
    }

    private void requireKey(String policy, TreeSet<String> users) {
        root.child("policies", policy).require("key", policies.get(policy).key(), "It identifies the caller, for example ip,"
                + " principal or header:X-Api-Key, or global for one count for everybody. Needed by "
                + String.join(", ", users) + '.');
    }
}
