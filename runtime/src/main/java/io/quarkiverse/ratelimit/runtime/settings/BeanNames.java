package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Map;
import java.util.TreeSet;

/**
 * The resolver beans that configuration can name: each name with its number of beans.
 *
 * @param keys the names of the key resolvers
 * @param plans the names of the plan resolvers
 */
public record BeanNames(Map<String, Integer> keys, Map<String, Integer> plans) {

    /** Reports a name that does not belong to exactly one bean. */
    static void require(String type, String name, Map<String, Integer> known, PropertyGroup group,
            String property) {
        if (known.getOrDefault(name, 0) > 1) {
            group.wrong(property,
                    "names " + known.get(name) + " beans. Keep one of type " + type + " with @Identifier(\"" + name
                            + "\").");
        } else if (!known.containsKey(name)) {
            group.wrong(property, "names no bean. Add a bean of type " + type + " with @Identifier(\"" + name
                    + "\"), or correct the name. There are: "
                    + (known.isEmpty() ? "none" : String.join(", ", new TreeSet<>(known.keySet()))) + ".");
        }
    }
}
