package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RouteConfig;
import io.smallrye.config.SmallRyeConfig;

/** Reports unknown properties. A misspelled limit must not be ignored. */
final class UnknownProperties {

    private static final String IN_ENVIRONMENT = Variables.OF_THE_LIMITER;
    /** A variable of a policy or route, perhaps with the singular instead of the plural. */
    private static final Pattern OF_ANY_NAME = Pattern.compile(IN_ENVIRONMENT + "(POLICY|POLICIES|ROUTE|ROUTES)_.*");

    private final KnownProperties known = new KnownProperties();
    private final SmallRyeConfig source;
    private final Mistakes mistakes;

    UnknownProperties(SmallRyeConfig source, Mistakes mistakes) {
        this.source = source;
        this.mistakes = mistakes;
    }

    void reportMisspelt(GivenProperties given) {
        for (String name : given.names()) {
            PropertyPath path = PropertyPath.of(name);
            if (!known.contains(path)) {
                mistakes.add(name, " (" + given.sourceOf(name) + ") is no property of the rate limiter"
                        + known.nearest(path).map(nearest -> "; did you mean " + nearest + "?").orElseGet(() -> known(path)));
            }
        }
    }

    /** Reports properties that have no effect although their names are known, and environment variables. */
    void reportIneffective(SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes,
            GivenProperties given) {
        policies.forEach((name, policy) -> {
            if (!policy.limits().isEmpty()) {
                reportBesideLimits(path(name), given);
            }
        });
        if (given.hasVariables()) {
            reportVariables(places(policies, routes, given));
        }
    }

    private String known(PropertyPath unknown) {
        PropertyPath place = known.deepest(unknown);
        return ". Remove it or correct its name. Known are " + place + ".* with " + String.join(", ", known.after(place)) + ".";
    }

    private void reportBesideLimits(PropertyPath policy, GivenProperties given) {
        for (String property : known.after(policy.child("limits", PropertyPath.ANY))) {
            if (given.contains(policy.child(property))) {
                mistakes.add(policy.child(property).toString(), " means nothing beside " + policy + ".limits.*, which inherit"
                        + " nothing. Move it to the limits it is meant for: " + policy + ".limits.<limit>." + property + ".");
            }
        }
    }

    /**
     * Reports environment variables that match no property of a configured policy or route, and those that nearly match
     * another property. Ignores all others, because an orchestrator may set them, such as
     * {@code QUARKUS_RATE_LIMIT_SERVICE_HOST}.
     */
    private void reportVariables(List<PropertyPath> places) {
        List<String> variables = new ArrayList<>();
        for (String name : source.getPropertyNames()) {
            if (Variables.isVariable(name)) {
                variables.add(name);
            }
        }
        Set<String> ofAll = known.patternsWithItems().stream().filter(pattern -> !pattern.segments().contains(PropertyPath.ANY))
                .map(Variables::of).collect(Collectors.toSet());
        Set<String> effective = new HashSet<>(ofAll);
        for (PropertyPath place : places) {
            for (PropertyPath pattern : known.patternsWithItems()) {
                effective.add(Variables.of(pattern.named(place)));
            }
        }
        for (String name : variables) {
            String variable = Variables.of(name).replaceFirst("_\\d+_$", "_");
            if (effective.contains(variable)) {
                continue;
            }
            if (OF_ANY_NAME.matcher(variable).matches()) {
                mistakes.add(name, " (" + source(name)
                        + ") is no property of a configured policy or route. Correct it; one whose name has dashes or underscores"
                        + " must be defined in a file before a variable can change it.");
            } else {
                ofAll.stream().filter(known -> Spelling.distance(end(known), end(variable)) < Integer.MAX_VALUE).min(
                        Comparator.comparingInt(known -> Spelling.distance(end(known), end(variable))))
                        .ifPresent(meant -> mistakes.add(name, " (" + source(name)
                                + ") is no property of the rate limiter; did you mean " + meant + "? Correct or remove it."));
            }
        }
    }

    /** The part of a variable's name that names a property. */
    private static List<String> end(String variable) {
        return List.of(variable.substring(IN_ENVIRONMENT.length()));
    }

    private String source(String name) {
        return SourceName.of(source.getConfigValue(name).getConfigSourceName());
    }

    /** The paths of all named elements: routes, policies, and their limits and plans. */
    private static List<PropertyPath> places(SortedMap<String, PolicyConfig> policies, SortedMap<String, RouteConfig> routes,
            GivenProperties given) {
        List<PropertyPath> places = new ArrayList<>();
        routes.keySet().forEach(route -> places.add(PropertyPath.ROOT.child("routes", route)));
        policies.forEach((name, policy) -> {
            places.add(path(name));
            addNamed(policy.limits(), path(name).child("limits"), given, places);
            PropertyPath plans = path(name).child("plans");
            addNamed(policy.plans(), plans, given, places).forEach(
                    (plan, values) -> addNamed(values.limits(), plans.child(plan, "limits"), given, places));
        });
        return places;
    }

    private static <T> SortedMap<String, T> addNamed(Map<String, T> elements, PropertyPath parent, GivenProperties given,
            List<PropertyPath> places) {
        SortedMap<String, T> named = Variables.withoutAppearances(elements, parent, given);
        named.keySet().forEach(name -> places.add(parent.child(name)));
        return named;
    }

    private static PropertyPath path(String policy) {
        return PropertyPath.ROOT.child("policies", policy);
    }
}
