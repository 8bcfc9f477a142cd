package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;
import io.smallrye.config.PropertyName;

/** Finds unknown properties. A misspelled limit must not be ignored without a word. */
final class UnknownProperties {

    /** Properties that are read at build time. */
    private static final List<String> AT_BUILD_TIME = List.of("quarkus.rate-limit.redis-client",
            "quarkus.rate-limit.devservices.enabled", "quarkus.rate-limit.admin.enabled", "quarkus.rate-limit.health.enabled",
            "quarkus.rate-limit.metrics.enabled", "quarkus.rate-limit.tracing.enabled");
    /** Variable of a policy or route, perhaps with the singular instead of the plural. */
    private static final String OF_ANY_NAME = PropertyPath.VARIABLES + "(POLICY|POLICIES|ROUTE|ROUTES)_.*";
    private static final int MOST_ERRORS = 2;

    /** All properties. {@link PropertyPath#ANY} stands for the name of a policy, limit, plan or route. */
    private final List<PropertyPath> patterns = new ArrayList<>();
    private final Set<PropertyName> known = new HashSet<>();

    /** @param ofPolicies properties of other extensions, without the policy with which their names end */
    UnknownProperties(List<String> ofPolicies) {
        // with the prefix, so that it need not read the annotations of the type
        Set<String> names = new TreeSet<>(ConfigClass
                .configClass(RateLimitConfig.class, PropertyPath.ROOT.toString()).getProperties().keySet());
        names.addAll(AT_BUILD_TIME);
        for (String name : ofPolicies) {
            names.add(name + '.' + PropertyPath.ANY);
        }
        for (String name : names) {
            patterns.add(PropertyPath.of(name));
            known.add(new PropertyName(name));
        }
    }

    boolean isKnown(String name) {
        // SmallRye reads an asterisk as any name
        return !name.contains(".*") && known.contains(new PropertyName(name));
    }

    /** Explains each unknown property and environment variable, by its name. */
    SortedMap<String, String> in(GivenProperties given) {
        SortedMap<String, String> unknown = new TreeMap<>();
        for (String name : given.values.keySet()) {
            if (!isKnown(name)) {
                unknown.put(name, " (" + given.sourceOf(name) + ") is no property of the rate limiter"
                        + remedy(PropertyPath.of(name)));
            }
        }
        if (!given.variables.isEmpty()) {
            addVariables(given, unknown);
        }
        return unknown;
    }

    private String remedy(PropertyPath unknown) {
        String name = unknown.toString();
        return patterns.stream().map(pattern -> pattern.named(unknown).toString())
                .filter(known -> errors(known, name) <= MOST_ERRORS)
                .min(Comparator.comparingInt(known -> errors(known, name)))
                .map(nearest -> "; did you mean " + nearest + "?")
                .orElseGet(() -> neighbors(unknown));
    }

    /** Lists the properties next to one whose name is like none of them. */
    private String neighbors(PropertyPath unknown) {
        int level = unknown.size();
        while (below(unknown.start(level)).isEmpty()) {
            level--;
        }
        return ". " + unknown.start(level) + " has " + String.join(", ", below(unknown.start(level)))
                + ". Correct the name, or remove it.";
    }

    private SortedSet<String> below(PropertyPath path) {
        SortedSet<String> names = new TreeSet<>();
        for (PropertyPath pattern : patterns) {
            if (pattern.size() > path.size() && pattern.named(path).start(path.size()).equals(path)) {
                String name = pattern.segments().get(path.size()).replace("[*]", "");
                names.add((name.equals(PropertyPath.ANY) ? "<name>" : name) + (pattern.size() > path.size() + 1 ? ".*" : ""));
            }
        }
        return names;
    }

    /**
     * Adds environment variables that match no property of a configured policy or route. Ignores all others, because an
     * orchestrator may set them, such as {@code QUARKUS_RATE_LIMIT_SERVICE_HOST}.
     */
    private void addVariables(GivenProperties given, SortedMap<String, String> unknown) {
        Set<String> effective = given.spellings.keySet().stream().map(PropertyPath::of)
                .flatMap(place -> patterns.stream().map(pattern -> pattern.named(place)))
                .filter(property -> !property.segments().contains(PropertyPath.ANY))
                .map(property -> PropertyPath.variable(property.toString())).collect(Collectors.toSet());
        for (String name : given.variables) {
            String variable = PropertyPath.variable(name).replaceFirst("_\\d+_$", "_");
            if (variable.matches(OF_ANY_NAME) && !effective.contains(variable)) {
                unknown.put(name, " (" + given.sourceOf(name) + ") is no property of a configured policy or route. Correct it;"
                        + " one whose name has dashes or underscores must be defined in a file before a variable can change"
                        + " it.");
            }
        }
    }

    /** Returns how many characters of {@code a} must be replaced, removed or added to get {@code b}. */
    private static int errors(String a, String b) {
        int[] row = IntStream.rangeClosed(0, b.length()).toArray();
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
