package io.quarkiverse.ratelimit.runtime.settings;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;

/** All properties, as patterns in which {@link PropertyPath#ANY} stands for the name of a policy or limit. */
final class KnownProperties {

    /** Those that are read when the application is built. */
    private static final List<String> AT_BUILD_TIME = List.of("quarkus.rate-limit.redis-client",
            "quarkus.rate-limit.devservices.enabled");

    private static final String ANY_ITEM = "[*]";

    private final List<PropertyPath> patternsWithItems = Stream
            .concat(ConfigClass.configClass(RateLimitConfig.class).getProperties().keySet().stream(), AT_BUILD_TIME.stream())
            .sorted().map(PropertyPath::of).toList();
    private final List<PropertyPath> patterns = patternsWithItems.stream()
            .filter(pattern -> !pattern.toString().endsWith(ANY_ITEM)).toList();

    /** Also those of the items of lists, such as {@code exempt-roles[*]}. */
    List<PropertyPath> patternsWithItems() {
        return patternsWithItems;
    }

    boolean contains(PropertyPath path) {
        PropertyPath ofAnyItem = PropertyPath.of(path.toString().replaceFirst("\\[\\d+]$", ANY_ITEM));
        return patternsWithItems.stream().anyMatch(pattern -> pattern.matches(ofAnyItem));
    }

    /** The property that was probably meant. */
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

    /** What can follow after {@code place}, sorted. */
    SortedSet<String> after(PropertyPath place) {
        SortedSet<String> next = new TreeSet<>();
        for (PropertyPath pattern : patterns) {
            if (pattern.size() > place.size() && pattern.start(place.size()).matches(place)) {
                next.add(pattern.segments().get(place.size()).replace(PropertyPath.ANY, "<name>"));
            }
        }
        return next;
    }

    /** The deepest place on the way to {@code unknown} after which something can follow. */
    PropertyPath deepest(PropertyPath unknown) {
        PropertyPath place = unknown;
        while (after(place).isEmpty()) {
            place = place.start(place.size() - 1);
        }
        return place;
    }
}
