package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Collects mistakes, so that all of them are reported together. */
final class Mistakes {

    private final Set<String> properties = new TreeSet<>();
    private final Set<String> messages = new TreeSet<>();

    /** @param message what is wrong, where, and what to do */
    void add(String message) {
        messages.add(message);
    }

    /** @param message what is wrong with the property and what to do, to be read on after its name */
    void add(String property, String message) {
        properties.add(property);
        messages.add(property + message);
    }

    /** Reports what nothing may be called. */
    void requireName(String kind, String name, PropertyPath where) {
        if (!Policy.isName(name)) {
            add(where + ".* is no name of a " + kind + ". Use 1 to 64 letters, digits, underscores and dashes.");
        }
    }

    /** Whether something is wrong with the property already, so that nothing else need be said of it. */
    boolean isAbout(String property) {
        return properties.contains(property);
    }

    void throwIfAny() {
        if (!messages.isEmpty()) {
            throw new ConfigurationException("Rate limits cannot start, %d %s to correct:\n- %s".formatted(messages.size(),
                    messages.size() == 1 ? "mistake" : "mistakes", String.join("\n- ", messages)), properties);
        }
    }
}
