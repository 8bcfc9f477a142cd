package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Maps properties to environment variables. The name of a variable does not distinguish dots, dashes, quotes and case.
 * So a variable that overrides {@code logIn} or {@code "log-in"} of a file also appears as {@code login} or
 * {@code log.in}.
 */
final class Variables {

    /** The prefix of all variables of the limiter. */
    static final String OF_THE_LIMITER = of(PropertyPath.ROOT) + "_";

    /** Whether a listed name is that of a variable of the limiter. */
    static boolean isVariable(String name) {
        return name.indexOf('.') < 0 && of(name).startsWith(OF_THE_LIMITER);
    }

    /** The variable that names a property. */
    static String of(Object property) {
        String name = property.toString();
        StringBuilder variable = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
                variable.append(Character.toUpperCase(c));
            } else if (variable.isEmpty() || variable.charAt(variable.length() - 1) != '_') {
                variable.append('_');
            }
        }
        return variable.toString();
    }

    /** The elements configured under {@code place}, by name, without these additional appearances and without an empty name. */
    static <T> SortedMap<String, T> withoutAppearances(Map<String, T> configured, PropertyPath place, GivenProperties given) {
        SortedMap<String, T> real = new TreeMap<>();
        configured.forEach((name, element) -> {
            // an empty name is null here
            if (name != null) {
                real.put(name, element);
            }
        });
        if (given.hasVariables()) {
            Map<String, Long> names = real.keySet().stream()
                    .collect(Collectors.groupingBy(Variables::of, Collectors.counting()));
            real.keySet().removeIf(name -> names.get(of(name)) > 1 && name.equals(name.toLowerCase(Locale.ROOT))
                    && given.isOnlyByVariables(place.child(name)));
        }
        return real;
    }
}
