package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Knows how environment variables name properties: dots, dashes, quotes and case are not told apart. A variable that
 * overrides a file's {@code logIn} or {@code "log-in"} therefore appears, besides, as {@code login} or {@code log.in}.
 */
final class Variables {

    /** The variable that names a property. */
    static String of(Object property) {
        return property.toString().replaceAll("[^A-Za-z0-9]+", "_").toUpperCase(Locale.ROOT);
    }

    /** What is configured under {@code place}, by name, without such appearances. */
    static <T> SortedMap<String, T> withoutAppearances(Map<String, T> configured, PropertyPath place, GivenProperties given) {
        SortedMap<String, T> real = new TreeMap<>(configured);
        real.keySet().removeIf(name -> name.equals(name.toLowerCase(Locale.ROOT)) && given.isOnlyByVariables(place.child(name))
                && configured.keySet().stream().anyMatch(other -> !other.equals(name) && of(other).equals(of(name))));
        return real;
    }
}
