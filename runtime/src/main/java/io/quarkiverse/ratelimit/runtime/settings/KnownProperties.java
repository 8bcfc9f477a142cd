package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

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

    /** All patterns, including list items such as {@code exempt-roles[*]}. */
    List<PropertyPath> patternsWithItems() {
        return patternsWithItems;
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
            int distance = known.size() == unknown.size() ? Spelling.distance(known.segments(), unknown.segments()) : least;
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
}
