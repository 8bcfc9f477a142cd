package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Map;
import java.util.TreeSet;

/**
 * The names of the application's beans that configuration may name, and how many have each.
 *
 * @param keys of those that say who is calling
 * @param plans of those that say which plan applies
 */
public record BeanNames(Map<String, Integer> keys, Map<String, Integer> plans) {

    /** Reports a name that no bean has, or several. */
    static void require(String type, String name, Map<String, Integer> known, Property<String> property) {
        if (known.getOrDefault(name, 0) > 1) {
            property.wrong("names " + known.get(name) + " beans. Keep one of type " + type + " with @Identifier(\"" + name
                    + "\").");
        } else if (!known.containsKey(name)) {
            property.wrong("names no bean. Add a bean of type " + type + " with @Identifier(\"" + name
                    + "\"), or correct the name. There are: "
                    + (known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known.keySet()))) + ".");
        }
    }
}
