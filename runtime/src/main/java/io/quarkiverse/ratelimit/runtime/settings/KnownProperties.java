package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;

/** Lists all properties as patterns. {@link PropertyPath#ANY} stands for the name of a policy, limit, plan or route. */
final class KnownProperties {

    /** The properties that are read at build time. */
    private static final List<String> AT_BUILD_TIME = List.of("quarkus.rate-limit.redis-client",
            "quarkus.rate-limit.devservices.enabled", "quarkus.rate-limit.admin.enabled");

    private static final String ANY_ITEM = "[*]";

    private final List<PropertyPath> patternsWithItems = new ArrayList<>();
    private final List<PropertyPath> patterns = new ArrayList<>();

    KnownProperties() {
        // with the prefix, so that it need not read the annotations of the type
        SortedSet<String> names = new TreeSet<>(ConfigClass
                .configClass(RateLimitConfig.class, PropertyPath.ROOT.toString()).getProperties().keySet());
        names.addAll(AT_BUILD_TIME);
        for (String name : names) {
            PropertyPath pattern = PropertyPath.of(name);
            patternsWithItems.add(pattern);
            if (!name.endsWith(ANY_ITEM)) {
                patterns.add(pattern);
            }
        }
    }

    /** The environment variables of all properties. {@code places} are the paths of all named elements. */
    Set<String> variables(List<PropertyPath> places) {
        Set<String> variables = new HashSet<>(variablesWithoutNames());
        for (PropertyPath place : places) {
            patternsWithItems.forEach(pattern -> variables.add(pattern.named(place).variable()));
        }
        return variables;
    }

    private Set<String> variablesWithoutNames() {
        return patternsWithItems.stream().filter(pattern -> !pattern.segments().contains(PropertyPath.ANY))
                .map(PropertyPath::variable).collect(Collectors.toSet());
    }

    /** The variable of a property of no policy and no route with the most similar spelling. */
    Optional<String> nearestVariable(String unknown) {
        ToIntFunction<String> distance = known -> distance(known.substring(PropertyPath.VARIABLES.length()),
                unknown.substring(PropertyPath.VARIABLES.length()));
        return variablesWithoutNames().stream().filter(known -> distance.applyAsInt(known) < Integer.MAX_VALUE)
                .min(Comparator.comparingInt(distance));
    }

    boolean contains(PropertyPath path) {
        PropertyPath ofAnyItem = path.last().endsWith("]")
                ? PropertyPath.of(path.toString().replaceFirst("\\[\\d+]$", ANY_ITEM))
                : path;
        for (PropertyPath pattern : patternsWithItems) {
            if (pattern.last().equals(ofAnyItem.last()) && pattern.matches(ofAnyItem)) {
                return true;
            }
        }
        return false;
    }

    /** The known property with the most similar spelling. */
    Optional<PropertyPath> nearest(PropertyPath unknown) {
        PropertyPath nearest = null;
        int least = Integer.MAX_VALUE;
        for (PropertyPath pattern : patterns) {
            PropertyPath known = pattern.named(unknown);
            int distance = known.size() == unknown.size() ? distance(known.segments(), unknown.segments()) : least;
            if (distance < least) {
                nearest = known;
                least = distance;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /** The segments that can follow {@code place}, sorted. */
    SortedSet<String> after(PropertyPath place) {
        SortedSet<String> next = new TreeSet<>();
        for (PropertyPath pattern : patterns) {
            if (pattern.size() > place.size() && pattern.start(place.size()).matches(place)) {
                next.add(pattern.segments().get(place.size()).replace(PropertyPath.ANY, "<name>"));
            }
        }
        return next;
    }

    /** The longest prefix of {@code unknown} that a known property can continue. */
    PropertyPath deepest(PropertyPath unknown) {
        PropertyPath place = unknown;
        while (after(place).isEmpty()) {
            place = place.start(place.size() - 1);
        }
        return place;
    }

    /**
     * The number of typing errors between two names with the same number of segments. Returns {@link Integer#MAX_VALUE}
     * if a segment has so many errors that it is a different word.
     */
    private static int distance(List<String> known, List<String> written) {
        int sum = 0;
        for (int i = 0; i < known.size(); i++) {
            int distance = distance(known.get(i), written.get(i));
            if (distance == Integer.MAX_VALUE) {
                return distance;
            }
            sum += distance;
        }
        return sum;
    }

    private static int distance(String known, String written) {
        int errors = errors(known, written);
        return errors > Math.max(1, known.length() / 4) ? Integer.MAX_VALUE : errors;
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
