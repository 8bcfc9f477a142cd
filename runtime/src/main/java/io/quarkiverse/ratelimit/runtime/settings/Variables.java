package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Maps properties to environment variables. The name of a variable does not distinguish dots, dashes, quotes and case.
 * So a variable that overrides {@code logIn} or {@code "log-in"} of a file also appears as {@code login} or
 * {@code log.in}.
 */
final class Variables {

    /** The variable that names a property. */
    static String of(Object property) {
        return property.toString().replaceAll("[^A-Za-z0-9]+", "_").toUpperCase(Locale.ROOT);
    }

    /** The elements configured under {@code place}, by name, without these additional appearances. */
    static <T> SortedMap<String, T> withoutAppearances(Map<String, T> configured, PropertyPath place, GivenProperties given) {
        SortedMap<String, T> real = new TreeMap<>(configured);
        real.keySet().removeIf(name -> name.equals(name.toLowerCase(Locale.ROOT)) && given.isOnlyByVariables(place.child(name))
                && configured.keySet().stream().anyMatch(other -> !other.equals(name) && of(other).equals(of(name))));
        return real;
    }
}
