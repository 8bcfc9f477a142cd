package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** Checks the properties below one path, and reports a mistake with the name and the text of the property. */
record PropertyGroup(PropertyPath path, GivenProperties given, Mistakes mistakes) {

    PropertyGroup child(String... names) {
        return new PropertyGroup(path.child(names), given, mistakes);
    }

    /** Returns the elements below this path, by name. */
    <T> SortedMap<String, T> named(Map<String, T> elements) {
        SortedMap<String, T> named = new TreeMap<>();
        for (String name : elements.keySet()) {
            // an empty name is null here
            if (name != null && !isSpelling(name, elements.keySet())) {
                named.put(name, elements.get(name));
            }
        }
        return named;
    }

    /** Returns whether this is only how an environment variable spells the name of another element. */
    private boolean isSpelling(String name, Set<String> names) {
        return name.equals(name.toLowerCase(Locale.ROOT)) && given.isOnlyByVariables(path.child(name))
                && names.stream().anyMatch(other -> other != null && !other.equals(name)
                        && PropertyPath.variable(other).equals(PropertyPath.variable(name)));
    }

    String name(String property) {
        return path.child(property).toString();
    }

    Optional<String> text(String property) {
        return given.text(path.child(property));
    }

    /** Returns whether there is neither a value nor a mistake that explains its absence. */
    boolean isAbsent(String property, Optional<?> value) {
        return value.isEmpty() && !mistakes.isAbout(path.child(property));
    }

    boolean hasMistakes(List<String> properties) {
        for (String property : properties) {
            if (mistakes.isAbout(path.child(property))) {
                return true;
            }
        }
        return false;
    }

    /** Reports a mistake of the whole group. */
    void wrong(String message) {
        mistakes.add(path + ".*" + message);
    }

    /** Reports an invalid name of the element whose properties these are. */
    void requireName(String kind) {
        if (!Policy.isName(path.last())) {
            wrong(" is no name of a " + kind + ". Use 1 to 64 letters, digits, underscores and dashes.");
        }
    }

    /** Reports a mistake if the value is absent. */
    void require(String property, Optional<?> value, String remedy) {
        if (isAbsent(property, value)) {
            mistakes.add(name(property), " is missing. " + remedy);
        }
    }

    /** Reports a mistake if the property is set. A default is never wrong. */
    void wrong(String property, String message) {
        Optional<String> text = text(property);
        if (text.isPresent()) {
            mistakes.add(name(property), "=" + text.get() + " " + message);
        }
    }

    long whole(String property, long value, long min, long max) {
        if (value < min || value > max) {
            wrong(property, "must be a whole number from " + min + " to " + max + ".");
        }
        return value;
    }

    Duration duration(String property, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            boolean inSeconds = value.compareTo(max) > 0
                    && text(property).filter(text -> text.strip().matches("\\d+")).isPresent();
            wrong(property, "must be from " + shortest(min) + " to " + shortest(max) + "."
                    + (inSeconds ? " A number alone means seconds." : ""));
        } else if (value.getNano() % 1000 != 0) {
            wrong(property, "must be a whole number of microseconds.");
        }
        return value;
    }

    /**
     * Requires {@code true} or {@code false}. Quarkus reads every other text as {@code false}, and a typing error must not
     * disable limits.
     */
    void requireTrueOrFalse(String property) {
        String text = text(property).orElse("true").strip();
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            wrong(property, "must be true or false.");
        }
    }

    /** Reports a name that does not belong to exactly one bean. */
    void requireBean(String property, String type, String name, Map<String, ? extends List<?>> beans) {
        if (!beans.containsKey(name)) {
            wrong(property, "names no bean. Add a bean of type " + type + " with @Identifier(\"" + name
                    + "\"), or correct the name. There are: " + listed(beans.keySet()) + ".");
        } else if (beans.get(name).size() > 1) {
            wrong(property, "names " + beans.get(name).size() + " beans. Keep one of type " + type
                    + " with @Identifier(\"" + name + "\").");
        }
    }

    static String namesNoPolicy(String name, Set<String> policies) {
        return "names no policy. Configured policies: " + listed(policies) + ". Add "
                + PropertyPath.ROOT.child("policies", name) + ".* or correct the name.";
    }

    static String listed(Set<String> names) {
        return names.isEmpty() ? "none" : String.join(", ", new TreeSet<>(names));
    }

    static List<String> items(Optional<List<String>> list) {
        return list.isEmpty() ? List.of() : list.get().stream().map(String::strip).filter(item -> !item.isEmpty()).toList();
    }

    /** Returns the constants as they are written in configuration: in lower case, with dashes. */
    static String written(Collection<? extends Enum<?>> constants) {
        return constants.stream().map(Policy::written).collect(Collectors.joining(", "));
    }

    private static String shortest(Duration duration) {
        if (duration.isZero()) {
            return "0";
        }
        if (duration.equals(Duration.ofDays(duration.toDays()))) {
            return duration.toDays() + "d";
        }
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }
}
