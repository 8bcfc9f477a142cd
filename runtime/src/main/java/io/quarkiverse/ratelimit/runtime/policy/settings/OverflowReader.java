package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;

/** Reads which policy is the overflow of which, and checks the chains of policies that follow from it. */
record OverflowReader(PropertyGroup root, SortedMap<String, PolicyConfig> configured, SortedMap<String, Policy> policies) {

    private static final String OVERFLOW = "overflow";

    /** Returns the names of overflows by policy, without those with mistakes. */
    SortedMap<String, String> read(PolicyReferences references, List<Route> routes) {
        SortedMap<String, String> overflows = new TreeMap<>();
        for (String name : configured.keySet()) {
            String overflow = configured.get(name).overflow().orElse("").strip();
            if (policies.containsKey(overflow)) {
                overflows.put(name, overflow);
            } else if (configured.get(name).overflow().isPresent()) {
                group(name).wrong(OVERFLOW, PropertyGroup.namesNoPolicy(overflow, policies.keySet()));
            }
        }
        if (overflows.isEmpty()) {
            return overflows;
        }
        removeCircles(overflows);
        overflows.forEach((name, overflow) -> checkLink(name, overflow, overflows));
        references.methods().forEach(method -> checkMethod(method, overflows));
        routes.stream().filter(route -> route.policy() != null).forEach(route -> checkRoute(route, overflows));
        return overflows;
    }

    private PropertyGroup group(String policy) {
        return root.child("policies", policy);
    }

    /** Reports each circle once, at the first of its policies by name. */
    private void removeCircles(SortedMap<String, String> overflows) {
        List<String> inCircles = new ArrayList<>();
        for (String name : overflows.keySet()) {
            List<String> path = chain(name, overflows);
            boolean isCircle = overflows.get(path.get(path.size() - 1)) != null
                    && overflows.get(path.get(path.size() - 1)).equals(name);
            if (isCircle && inCircles.stream().noneMatch(path::contains)) {
                path.add(name);
                group(name).wrong(OVERFLOW, path.size() == 2 ? "is the policy itself. Name another policy, or remove overflow."
                        : "leads back to the policy: " + String.join(" > ", path) + ". Remove overflow from one of them.");
            }
            if (isCircle) {
                inCircles.add(name);
            }
        }
        overflows.keySet().removeAll(inCircles);
    }

    /** Returns the names of a policy and its overflows, each once. */
    private static List<String> chain(String policy, Map<String, String> overflows) {
        List<String> chain = new ArrayList<>();
        for (String name = policy; name != null && !chain.contains(name); name = overflows.get(name)) {
            chain.add(name);
        }
        return chain;
    }

    /** Checks the policy that has an overflow, and that overflow. */
    private void checkLink(String name, String overflow, Map<String, String> overflows) {
        if (policies.get(name).mayDelay()) {
            wrong(name, "cannot be combined with max-wait, because a call would wait before the overflow is asked. Remove"
                    + " max-wait, or set it on the last policy of the chain.");
        }
        checkPolicy(name, policies.get(name));
        if (!overflows.containsKey(overflow)) {
            checkPolicy(name, policies.get(overflow));
        }
    }

    private void checkPolicy(String name, Policy policy) {
        String where = policy.name().equals(name) ? "this policy" : "policy " + policy.name();
        if (policy.holdsPermits()) {
            wrong(name, "does not work with concurrency, which " + where + " limits. Remove overflow, or choose another"
                    + " algorithm.");
        }
        if (!policy.prefetch().isOff()) {
            wrong(name, "does not work with prefetch, which " + where + " has. Remove one of them.");
        }
        if (policy.mode() == Mode.SHADOW) {
            wrong(name, "does not work with mode=shadow, which " + where + " has. Remove one of them.");
        }
    }

    private void wrong(String policy, String message) {
        group(policy).wrong(OVERFLOW, message);
    }

    private void checkMethod(LimitedMethod method, Map<String, String> overflows) {
        Map<String, String> annotationsByPolicy = new HashMap<>();
        for (PolicyUse use : method.uses()) {
            List<String> chain = chain(use.policy(), overflows);
            for (String policy : chain) {
                String other = annotationsByPolicy.putIfAbsent(policy, use.policy());
                if (other != null) {
                    root.mistakes().add("@RateLimited(\"" + other + "\") and @RateLimited(\"" + use.policy() + "\") on "
                            + method.id() + " lead to the same policy " + policy + ", which would pay for both. Remove one of"
                            + " them, or give one of them another overflow.");
                    return;
                }
            }
            if (method.parameters().keys(use.policy()).isEmpty()) {
                requireKeys(chain, "@RateLimited(\"" + use.policy() + "\") on " + method.id());
            }
        }
    }

    /** Requires that each overflow has a key. */
    private void requireKeys(List<String> chain, String user) {
        chain.stream().skip(1).filter(name -> policies.get(name).key() == null).forEach(name -> group(name).require("key",
                configured.get(name).key(), "It identifies the caller, for example ip, or global for one count for everybody."
                        + " Needed by the overflow of " + chain.get(0) + ", to which " + user + " leads without arguments."));
    }

    private void checkRoute(Route route, Map<String, String> overflows) {
        List<String> chain = chain(route.policy().name(), overflows);
        String property = PropertyPath.ROOT.child("routes", route.name()).toString();
        requireKeys(chain, property);
        chain.stream().skip(1).forEach(name -> {
            List<String> unknown = RouteReader.unknownOnRoutes(policies.get(name));
            if (!unknown.isEmpty()) {
                root.child("routes", route.name()).wrong("policy", "has the overflow " + name + " with "
                        + String.join(", ", unknown) + ", which is not known before authentication and before a method is"
                        + " chosen. Give the route a policy with another overflow.");
            }
        });
    }
}
