package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.RouteConfig;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;

/** Reports annotations and routes that do not fit the configured policies. */
record ReferenceMistakes(PropertyGroup root, SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes) {

    private static final long COST_OF_ROUTES = 1;

    void report(PolicyReferences references) {
        for (InjectedLimiter limiter : references.limiters()) {
            if (!policies.containsKey(limiter.policy())) {
                reportUnknown(limiter.policy(), "@RateLimitPolicy(\"" + limiter.policy() + "\") on " + limiter.place());
            }
        }
        Map<String, TreeSet<String>> withoutKey = new TreeMap<>();
        for (LimitedMethod method : references.methods()) {
            for (PolicyUse use : method.uses()) {
                String annotation = "@RateLimited(\"" + use.policy() + "\") on " + method.id();
                if (!policies.containsKey(use.policy())) {
                    reportUnknown(use.policy(), annotation);
                } else if (method.parameters().keys().isEmpty() && policies.get(use.policy()).key().isEmpty()) {
                    withoutKey.computeIfAbsent(use.policy(), policy -> new TreeSet<>()).add(annotation);
                }
                checkCost(method, use, annotation);
            }
        }
        routes.forEach((name, route) -> route.policy().map(String::strip).filter(policies::containsKey)
                .ifPresent(policy -> withoutKey.computeIfAbsent(policy, ignored -> new TreeSet<>())
                        .add(PropertyPath.ROOT.child("routes", name).toString())));
        withoutKey.forEach(this::requireKey);
    }

    private void checkCost(LimitedMethod method, PolicyUse use, String annotation) {
        if (use.cost() > Limit.MAX_HELD_PERMITS && limitsConcurrency(use.policy())) {
            root.mistakes().add(annotation + " has cost=" + use.cost() + ", but its policy limits concurrency. Give it a cost"
                    + " from 1 to " + Limit.MAX_HELD_PERMITS + ", or set counts=calls on the concurrency limit.");
        } else if (method.resource() && method.parameters().keys().isEmpty()) {
            requireCostOfRoutes(use, method.parameters().cost() != CallParameters.NO_COST, annotation);
        }
    }

    /**
     * A request that a route and an annotation limit by the same policy and key is counted once, so both must charge it the
     * same. Whether a request meets both depends on its path, which is known only later.
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

    private void reportUnknown(String policy, String user) {
        root.mistakes().add(user + " " + PropertyGroup.namesNoPolicy(policy, policies.keySet()));
    }

    private void requireKey(String policy, TreeSet<String> users) {
        root.child("policies", policy).require("key", policies.get(policy).key(), "It identifies the caller, for example ip,"
                + " principal or header:X-Api-Key, or global for one count for everybody. Needed by "
                + String.join(", ", users) + '.');
    }
}
