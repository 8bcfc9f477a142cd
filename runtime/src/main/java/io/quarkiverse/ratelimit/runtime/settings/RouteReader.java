package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.items;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.config.RouteConfig;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;

/** Reads one route. */
final class RouteReader {

    /** A wildcard that the path matcher of Quarkus does not accept. */
    private static final Pattern WILDCARD_IN_SEGMENT = Pattern.compile("\\*[^/]|[^/]\\*.");
    private static final Pattern NEVER_MATCHING = Pattern.compile("[?#]|//|(^|/)\\.\\.?(/|$)");

    private final String name;
    private final RouteConfig config;
    private final PropertyPath path;
    private final SortedMap<String, Policy> policies;
    private final GivenProperties given;
    private final Mistakes mistakes;

    RouteReader(String name, RouteConfig config, SortedMap<String, Policy> policies, GivenProperties given,
            Mistakes mistakes) {
        this.name = name;
        this.config = config;
        this.path = PropertyPath.ROOT.child("routes", name);
        this.policies = policies;
        this.given = given;
        this.mistakes = mistakes;
    }

    /** The route. It must not be used if there are mistakes. */
    Route read() {
        mistakes.requireName("route", name, path);
        return new Route(name, paths(), methods(), policy());
    }

    private List<String> paths() {
        Property<List<String>> paths = property("paths", config.paths())
                .required("Set paths to the paths to limit, for example /login or /api/*.");
        for (String pattern : items(paths)) {
            if (WILDCARD_IN_SEGMENT.matcher(pattern).find()) {
                paths.wrong("has a * in " + pattern + " that is neither its end nor a whole segment, as in /api/* or"
                        + " /api/*/orders.");
            } else if (NEVER_MATCHING.matcher(pattern).find()) {
                paths.wrong("has the pattern " + pattern + ", which no path matches: a path has no query, no empty segment"
                        + " and no dots as a segment.");
            }
        }
        return items(paths);
    }

    private Set<String> methods() {
        Property<List<String>> methods = property("methods", config.methods());
        Set<String> upperCase = new HashSet<>();
        for (String method : items(methods)) {
            if (!method.matches("[A-Za-z][A-Za-z-]*")) {
                methods.wrong("must be HTTP methods, comma-separated, like GET,POST.");
            }
            upperCase.add(method.toUpperCase(Locale.ROOT));
        }
        if (upperCase.contains("GET")) {
            upperCase.add("HEAD");
        }
        return upperCase;
    }

    private Policy policy() {
        Property<String> property = property("policy", config.policy())
                .required("Set policy to the policy that limits the paths. Configured policies: " + known() + ".");
        if (property.value().isEmpty()) {
            return null;
        }
        Policy policy = policies.get(property.value().get().strip());
        if (policy == null) {
            property.wrong("names no policy. Configured policies: " + known() + ". Add "
                    + PropertyPath.ROOT.child("policies", property.value().get().strip()) + ".* or correct the name.");
        } else {
            reportWhatIsUnknown(property, policy);
        }
        return policy;
    }

    private void reportWhatIsUnknown(Property<String> property, Policy policy) {
        List<String> unknown = new ArrayList<>();
        if (policy.key() != null) {
            KeyParser.unknownOnRoutes(policy.key()).forEach(part -> unknown.add("key=" + part));
        }
        if (policy.plans().needsIdentity()) {
            unknown.add("plan=" + policy.plans().source().name().toLowerCase(Locale.ROOT));
        }
        if (policy.exempt().needsIdentity()) {
            unknown.add("exempt-roles");
        }
        if (!unknown.isEmpty()) {
            property.wrong(
                    "has " + String.join(", ", unknown) + ", which is not known before authentication and before a method"
                            + " is chosen. Give the route a policy of its own, for example with key=ip.");
        }
    }

    private String known() {
        return policies.isEmpty() ? "none" : String.join(", ", policies.keySet());
    }

    private <T> Property<T> property(String property, Optional<T> value) {
        return given.property(path.child(property), value);
    }
}
