package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.smallrye.config.SmallRyeConfig;

/** Reports unknown properties. A misspelled limit must not be ignored. */
final class UnknownProperties {

    private static final String POLICIES_IN_ENVIRONMENT = "QUARKUS_RATE_LIMIT_POLICIES_";
    private static final String ROUTES_IN_ENVIRONMENT = "QUARKUS_RATE_LIMIT_ROUTES_";

    private final KnownProperties known = new KnownProperties();
    private final SmallRyeConfig source;
    private final RateLimitConfig config;
    private final Mistakes mistakes;

    UnknownProperties(SmallRyeConfig source, RateLimitConfig config, Mistakes mistakes) {
        this.source = source;
        this.config = config;
        this.mistakes = mistakes;
    }

    void report(GivenProperties given) {
        for (String name : given.names()) {
            PropertyPath path = PropertyPath.of(name);
            if (!known.contains(path)) {
                mistakes.add(name, " (" + given.sourceOf(name) + ") is no property of the rate limiter"
                        + known.nearest(path).map(nearest -> "; did you mean " + nearest + "?").orElseGet(() -> known(path)));
            }
        }
        config.policies().forEach((name, policy) -> {
            if (!policy.limits().isEmpty()) {
                reportBesideLimits(path(name), given);
            }
        });
        reportVariables();
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
     * Reports environment variables that match no property of a configured policy or route. Checks only variables of
     * policies and routes, because an orchestrator may set others, such as {@code QUARKUS_RATE_LIMIT_SERVICE_HOST}.
     */
    private void reportVariables() {
        Set<String> effective = new HashSet<>();
        for (PropertyPath place : places()) {
            for (PropertyPath pattern : known.patternsWithItems()) {
                effective.add(Variables.of(pattern.named(place)));
            }
        }
        for (String name : source.getPropertyNames()) {
            String variable = name.toUpperCase(Locale.ROOT);
            if ((variable.startsWith(POLICIES_IN_ENVIRONMENT) || variable.startsWith(ROUTES_IN_ENVIRONMENT))
                    && !effective.contains(Variables.of(name).replaceFirst("_\\d+_$", "_"))) {
                mistakes.add(name, " (" + GivenProperties.source(source.getConfigValue(name))
                        + ") is no property of a configured policy or route. Correct it; one whose name has dashes or underscores"
                        + " must be defined in a file before a variable can change it.");
            }
        }
    }

    /** The paths of all named elements: routes, policies, and their limits and plans. */
    private List<PropertyPath> places() {
        List<PropertyPath> places = new ArrayList<>();
        config.routes().keySet().forEach(route -> places.add(PropertyPath.ROOT.child("routes", route)));
        config.policies().forEach((name, policy) -> {
            places.add(path(name));
            policy.limits().keySet().forEach(limit -> places.add(path(name).child("limits", limit)));
            policy.plans().forEach((plan, numbers) -> {
                places.add(path(name).child("plans", plan));
                numbers.limits().keySet().forEach(limit -> places.add(path(name).child("plans", plan, "limits", limit)));
            });
        });
        return places;
    }

    private static PropertyPath path(String policy) {
        return PropertyPath.ROOT.child("policies", policy);
    }
}
