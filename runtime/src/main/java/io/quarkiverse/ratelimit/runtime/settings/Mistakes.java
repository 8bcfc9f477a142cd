package io.quarkiverse.ratelimit.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Collects mistakes and reports all of them together. */
final class Mistakes {

    private final Set<String> properties = new TreeSet<>();
    private final Set<String> messages = new TreeSet<>();
    /** The starts of properties whose names are mistakes. */
    private final List<String> unreadable = new ArrayList<>();

    /** @param message what is wrong, where, and what to do */
    void add(String message) {
        messages.add(message);
    }

    /** @param message what is wrong with the property and what to do; appended to its name */
    void add(String property, String message) {
        properties.add(property);
        addReadable(property + message);
    }

    /** @param message what is wrong below the path and what to do; appended to the path */
    void addBelow(PropertyPath path, String message) {
        addReadable(path + ".*" + message);
    }

    private void addReadable(String message) {
        if (isReadable(message)) {
            messages.add(message);
        }
    }

    private boolean isReadable(String property) {
        return unreadable.stream().noneMatch(property::startsWith);
    }

    /** Ignores all further mistakes of the properties below {@code path}, because they cannot be read. */
    void ignoreBelow(PropertyPath path) {
        unreadable.add(path + ".");
    }

    /** Reports an invalid name. */
    void requireName(String kind, String name, PropertyPath where) {
        if (!Policy.isName(name)) {
            addBelow(where, " is no name of a " + kind + ". Use 1 to 64 letters, digits, underscores and dashes.");
        }
    }

    /** Whether a mistake of this property was already reported. */
    boolean isAbout(String property) {
        return properties.contains(property);
    }

    void throwIfAny() {
        if (!messages.isEmpty()) {
            throw new ConfigurationException("Rate limits cannot start, %d %s to correct:\n- %s".formatted(messages.size(),
                    messages.size() == 1 ? "mistake" : "mistakes", String.join("\n- ", messages)),
                    properties.stream().filter(this::isReadable).collect(Collectors.toSet()));
        }
    }
}
