package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.PropertyGroup.items;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.RouteConfig;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;

/** Reads one route. */
record RouteReader(PropertyGroup group, RouteConfig config, SortedMap<String, Policy> policies) {

    /** A wildcard that the path matcher of Quarkus does not accept. */
    private static final Pattern WILDCARD_IN_SEGMENT = Pattern.compile("\\*[^/]|[^/]\\*.");
    private static final Pattern NEVER_MATCHING = Pattern.compile("[?#]|//|(^|/)\\.\\.?(/|$)");

    /** The route. It must not be used if there are mistakes. */
    Route read() {
        group.requireName("route");
        group.require("paths", config.paths(), "Set paths to the paths to limit, for example /login or /api/*.");
        List<String> paths = patterns("paths", config.paths());
        return new Route(group.path().last(), paths, patterns("except", config.except()), methods(), policy());
    }

    private List<String> patterns(String property, Optional<List<String>> given) {
        List<String> patterns = items(given);
        for (String pattern : patterns) {
            if (WILDCARD_IN_SEGMENT.matcher(pattern).find()) {
                group.wrong(property, "has a * in " + pattern + " that is neither its end nor a whole segment, as in /api/* or"
                        + " /api/*/orders.");
            } else if (NEVER_MATCHING.matcher(pattern).find()) {
                group.wrong(property,
                        "has the pattern " + pattern + ", which no path matches: a path has no query, no empty segment"
                                + " and no dots as a segment.");
            }
        }
        return patterns;
    }

    private Set<String> methods() {
        Set<String> upperCase = new HashSet<>();
        for (String method : items(config.methods())) {
            if (!method.matches("[A-Za-z][A-Za-z-]*")) {
                group.wrong("methods", "must be HTTP methods, comma-separated, like GET,POST.");
            }
            upperCase.add(method.toUpperCase(Locale.ROOT));
        }
        if (upperCase.contains("GET")) {
            upperCase.add("HEAD");
        }
        return upperCase;
    }

    private Policy policy() {
        group.require("policy", config.policy(), "Set policy to the policy that limits the paths. Configured policies: "
                + PropertyGroup.listed(policies.keySet()) + ".");
        String name = config.policy().map(String::strip).orElse("");
        Policy policy = policies.get(name);
        if (policy == null) {
            group.wrong("policy", PropertyGroup.namesNoPolicy(name, policies.keySet()));
        } else {
            reportWhatIsUnknown(policy);
        }
        return policy;
    }

    private void reportWhatIsUnknown(Policy policy) {
        List<String> unknown = new ArrayList<>();
        if (policy.key() != null) {
            KeyParser.unknownOnRoutes(policy.key()).forEach(part -> unknown.add("key=" + part));
        }
        if (policy.plans().needsIdentity()) {
            unknown.add("plan=" + Policy.written(policy.plans().source()));
        }
        if (policy.exempt().needsIdentity()) {
            unknown.add("exempt-roles");
        }
        if (!unknown.isEmpty()) {
            group.wrong("policy",
                    "has " + String.join(", ", unknown) + ", which is not known before authentication and before a method"
                            + " is chosen. Give the route a policy of its own, for example with key=ip.");
        }
    }
}
