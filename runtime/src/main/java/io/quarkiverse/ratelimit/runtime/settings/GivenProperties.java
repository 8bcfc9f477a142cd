package io.quarkiverse.ratelimit.runtime.settings;

import java.util.Map;
import java.util.TreeMap;

import io.smallrye.config.ConfigValue;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;

/** What is set under {@code quarkus.rate-limit}, known or not, by its path's text. */
final class GivenProperties {

    private final Map<String, ConfigValue> values = new TreeMap<>();
    private final SmallRyeConfig source;

    GivenProperties(SmallRyeConfig source) {
        this.source = source;
        for (String name : source.getPropertyNames()) {
            if (name.startsWith(PropertyPath.ROOT.toString()) && PropertyPath.of(name).startsWith(PropertyPath.ROOT)) {
                ConfigValue value = source.getConfigValue(name);
                if (isGiven(value)) {
                    values.put(PropertyPath.of(name).toString(), value);
                }
            }
        }
        values.keySet().removeIf(this::isItemOfAList);
    }

    Iterable<String> names() {
        return values.keySet();
    }

    /** Whether a property is set under its name, or by a variable, whose own name may read like another property's. */
    boolean contains(PropertyPath path) {
        return values.containsKey(path.toString()) || isGiven(source.getConfigValue(path.toString()));
    }

    private static boolean isGiven(ConfigValue value) {
        return value.getValue() != null && !value.isDefault();
    }

    /** Whether all that is set below {@code path} is set by environment variables. */
    boolean isOnlyByVariables(PropertyPath path) {
        return values.entrySet().stream().filter(entry -> PropertyPath.of(entry.getKey()).startsWith(path))
                .allMatch(entry -> entry.getValue().getConfigSourceName().startsWith(EnvConfigSource.NAME));
    }

    String sourceOf(String name) {
        return source(values.get(name));
    }

    /** Where a value comes from: a file's address, or the name of the source. */
    static String source(ConfigValue value) {
        return value.getConfigSourceName().replaceFirst("^\\w+\\[source=(.+)]$", "$1");
    }

    void reportEmpty(Mistakes mistakes) {
        values.forEach((name, value) -> {
            if (value.getValue().isBlank()) {
                mistakes.add(name, " (" + sourceOf(name) + ") is empty. Give it a value or remove it.");
            }
        });
    }

    /** A YAML list appears item by item and, besides, as one text. */
    private boolean isItemOfAList(String name) {
        return name.endsWith("]") && values.containsKey(name.substring(0, name.lastIndexOf('[')));
    }
}
