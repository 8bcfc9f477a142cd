package io.quarkiverse.ratelimit.runtime.settings;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.smallrye.config.ConfigMappings.ConfigClass;

/** All properties there are, as patterns in which {@link PropertyPath#ANY} stands for a policy's or limit's name. */
final class KnownProperties {

    /** Those that are read when the application is built. */
    private static final List<String> AT_BUILD_TIME = List.of("quarkus.rate-limit.redis-client",
            "quarkus.rate-limit.devservices.enabled");

    private final List<PropertyPath> patterns = Stream
            .concat(ConfigClass.configClass(RateLimitConfig.class).getProperties().keySet().stream(), AT_BUILD_TIME.stream())
            .sorted().map(PropertyPath::of).toList();

    List<PropertyPath> patterns() {
        return patterns;
    }

    boolean contains(PropertyPath path) {
        return patterns.stream().anyMatch(pattern -> pattern.matches(path));
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
