package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Set;
import java.util.TreeSet;

/**
 * The names of the application's beans that configuration may name.
 *
 * @param keys of those that say who is calling
 * @param plans of those that say which plan applies
 */
public record BeanNames(Set<String> keys, Set<String> plans) {

    /** Reports a name that no bean has. */
    static void require(String type, String name, Set<String> known, Property property) {
        if (!known.contains(name)) {
            property.wrong("names no bean. Add a bean of type " + type + " with @Identifier(\"" + name
                    + "\"), or correct the name. There are: "
                    + (known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known))) + ".");
        }
    }
}
