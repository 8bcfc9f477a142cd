package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RouteConfig;

/** Reports unknown properties. A misspelled limit must not be ignored. */
final class UnknownProperties {

    /** A variable of a policy or route, perhaps with the singular instead of the plural. */
    private static final Pattern OF_ANY_NAME = Pattern
            .compile(PropertyPath.VARIABLES + "(POLICY|POLICIES|ROUTE|ROUTES)_.*");

    private final KnownProperties known = new KnownProperties();
    private final PropertyGroup root;
    private final GivenProperties given;
    private final Mistakes mistakes;

    UnknownProperties(PropertyGroup root) {
        this.root = root;
        this.given = root.given();
        this.mistakes = root.mistakes();
    }

    void reportMisspelt() {
        for (String name : given.names()) {
            PropertyPath path = PropertyPath.of(name);
            if (!known.contains(path)) {
                mistakes.add(name, " (" + given.sourceOf(name) + ") is no property of the rate limiter"
                        + known.nearest(path).map(nearest -> "; did you mean " + nearest + "?").orElseGet(() -> known(path)));
            }
        }
    }

    private String known(PropertyPath unknown) {
        PropertyPath place = known.deepest(unknown);
        return ". Remove it or correct its name. Known are " + place + ".* with " + String.join(", ", known.after(place)) + ".";
    }

    /** Reports properties that have no effect although their names are known, and environment variables. */
    void reportIneffective(SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes) {
        policies.forEach((name, policy) -> {
            if (!policy.limits().isEmpty()) {
                reportBesideLimits(root.child("policies", name));
            }
        });
        if (!given.variables().isEmpty()) {
            reportVariables(known.variables(places(policies, routes)));
        }
    }

    private void reportBesideLimits(PropertyGroup policy) {
        PropertyPath path = policy.path();
        for (String property : known.after(path.child("limits", PropertyPath.ANY))) {
            if (policy.isGiven(property)) {
                mistakes.add(policy.name(property), " means nothing beside " + path + ".limits.*, which inherit"
                        + " nothing. Move it to the limits it is meant for: " + path + ".limits.<limit>." + property + ".");
            }
        }
    }

    /**
     * Reports environment variables that match no property of a configured policy or route, and those that nearly match
     * another property. Ignores all others, because an orchestrator may set them, such as
     * {@code QUARKUS_RATE_LIMIT_SERVICE_HOST}.
     */
    private void reportVariables(Set<String> effective) {
        for (String name : given.variables()) {
            String variable = PropertyPath.variable(name).replaceFirst("_\\d+_$", "_");
            if (effective.contains(variable)) {
                continue;
            }
            String unknown = " (" + given.sourceOf(name) + ") is no property of ";
            if (OF_ANY_NAME.matcher(variable).matches()) {
                mistakes.add(name, unknown + "a configured policy or route. Correct it; one whose name has dashes or"
                        + " underscores must be defined in a file before a variable can change it.");
            } else {
                known.nearestVariable(variable).ifPresent(meant -> mistakes.add(name,
                        unknown + "the rate limiter; did you mean " + meant + "? Correct or remove it."));
            }
        }
    }

    /** The paths of all named elements: routes, policies, and their limits and plans. */
    private List<PropertyPath> places(SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes) {
        List<PropertyPath> places = new ArrayList<>();
        addNamed(routes, root.child("routes"), places);
        addNamed(policies, root.child("policies"), places).forEach((name, policy) -> {
            addNamed(policy.limits(), root.child("policies", name, "limits"), places);
            PropertyGroup plans = root.child("policies", name, "plans");
            addNamed(policy.plans(), plans, places).forEach(
                    (plan, values) -> addNamed(values.limits(), plans.child(plan, "limits"), places));
        });
        return places;
    }

    private static <T> SortedMap<String, T> addNamed(Map<String, T> elements, PropertyGroup parent, List<PropertyPath> places) {
        SortedMap<String, T> named = parent.named(elements);
        named.keySet().forEach(name -> places.add(parent.path().child(name)));
        return named;
    }
}
