package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.PropertyName;

/** Reports unknown properties. A misspelled limit must not be ignored. */
final class UnknownProperties {

    /** The properties that are read at build time. */
    private static final List<String> AT_BUILD_TIME = List.of("quarkus.rate-limit.redis-client",
            "quarkus.rate-limit.devservices.enabled", "quarkus.rate-limit.admin.enabled");
    /** A variable of a policy or route, perhaps with the singular instead of the plural. */
    private static final Pattern OF_ANY_NAME = Pattern.compile(PropertyPath.VARIABLES + "(POLICY|POLICIES|ROUTE|ROUTES)_.*");
    private static final int MOST_ERRORS = 2;

    /** All properties. {@link PropertyPath#ANY} stands for the name of a policy, limit, plan or route. */
    private final List<PropertyPath> patterns = new ArrayList<>();
    private final Set<PropertyName> known = new HashSet<>();
    private final GivenProperties given;
    private final Mistakes mistakes;

    UnknownProperties(PropertyGroup root) {
        this.given = root.given();
        this.mistakes = root.mistakes();
        // with the prefix, so that it need not read the annotations of the type
        Set<String> names = new TreeSet<>(ConfigClass
                .configClass(RateLimitConfig.class, PropertyPath.ROOT.toString()).getProperties().keySet());
        names.addAll(AT_BUILD_TIME);
        names.forEach(name -> {
            patterns.add(PropertyPath.of(name));
            known.add(new PropertyName(name));
        });
    }

    void report() {
        for (String name : given.values.keySet()) {
            // SmallRye reads an asterisk as any name
            if (name.contains(".*") || !known.contains(new PropertyName(name))) {
                mistakes.add(name, " (" + given.sourceOf(name) + ") is no property of the rate limiter"
                        + remedy(PropertyPath.of(name)));
            }
        }
        if (!given.variables.isEmpty()) {
            reportVariables();
        }
    }

    private String remedy(PropertyPath unknown) {
        String name = unknown.toString();
        return nearest(patterns.stream().map(pattern -> pattern.named(unknown).toString())
                .filter(known -> errors(known, name) <= MOST_ERRORS), name)
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElse(". Remove it or correct its name.");
    }

    /**
     * Reports environment variables that match no property of a configured policy or route, and those that nearly match
     * another property. Ignores all others, because an orchestrator may set them, such as
     * {@code QUARKUS_RATE_LIMIT_SERVICE_HOST}.
     */
    private void reportVariables() {
        Set<String> general = variables(Set.of(PropertyPath.ROOT));
        Set<String> effective = variables(given.spellings.keySet());
        for (String name : given.variables) {
            String variable = PropertyPath.variable(name).replaceFirst("_\\d+_$", "_");
            if (effective.contains(variable)) {
                continue;
            }
            String unknown = " (" + given.sourceOf(name) + ") is no property of ";
            if (OF_ANY_NAME.matcher(variable).matches()) {
                mistakes.add(name, unknown + "a configured policy or route. Correct it; one whose name has dashes or"
                        + " underscores must be defined in a file before a variable can change it.");
            } else {
                nearest(general.stream().filter(known -> isSimilar(known, variable)), variable)
                        .ifPresent(meant -> mistakes.add(name,
                                unknown + "the rate limiter; did you mean " + meant + "? Correct or remove it."));
            }
        }
    }

    /** The environment variables of all properties whose names {@code places} contain. */
    private Set<String> variables(Set<PropertyPath> places) {
        Set<String> variables = new HashSet<>();
        for (PropertyPath place : places) {
            for (PropertyPath pattern : patterns) {
                PropertyPath named = pattern.named(place);
                if (!named.segments().contains(PropertyPath.ANY)) {
                    variables.add(named.variable());
                }
            }
        }
        return variables;
    }

    /** A variable may belong to something else, so a short one must be more similar than a property. */
    private static boolean isSimilar(String known, String variable) {
        return errors(known, variable) <= Math.max(1, (known.length() - PropertyPath.VARIABLES.length()) / 4);
    }

    private static Optional<String> nearest(Stream<String> known, String unknown) {
        return known.min(Comparator.comparingInt(text -> errors(text, unknown)));
    }

    /** The optimal string alignment distance: an extra, missing or wrong character counts 1, and so does a swap of two. */
    private static int errors(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int wrong = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + wrong, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
