package io.quarkiverse.ratelimit.runtime.policy.settings;

import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

import io.quarkus.runtime.configuration.ConfigurationException;

/** Collects mistakes and reports all of them together. */
final class Mistakes {

    private final SortedSet<String> properties = new TreeSet<>();
    private final Set<String> messages = new TreeSet<>();

    /** @param message what is wrong, where, and what to do */
    void add(String message) {
        messages.add(message);
    }

    /** @param message what is wrong with the property and what to do; appended to its name */
    void add(String property, String message) {
        properties.add(property);
        add(property + message);
    }

    /** Returns whether a mistake of this property, or of one below it, was already reported. */
    boolean isAbout(PropertyPath property) {
        // a slash is the character after a dot
        return !properties.isEmpty() && (properties.contains(property.toString())
                || !properties.subSet(property + ".", property + "/").isEmpty());
    }

    void throwIfAny() {
        if (!messages.isEmpty()) {
            throw new ConfigurationException("Rate limits cannot start, %d %s to correct:\n- %s".formatted(messages.size(),
                    messages.size() == 1 ? "mistake" : "mistakes", String.join("\n- ", messages)), properties);
        }
    }
}
