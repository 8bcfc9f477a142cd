package io.quarkiverse.ratelimit.runtime.devui;

import org.eclipse.microprofile.config.ConfigValue;

import io.smallrye.config.SmallRyeConfig;

/** Finds the configuration sources of properties. */
final class Origins {

    static final String DEFAULT = "default";

    private final SmallRyeConfig config;

    Origins(SmallRyeConfig config) {
        this.config = config;
    }

    boolean isGiven(String property) {
        return config.getConfigValue(property).getValue() != null && !config.getConfigValue(property).isDefault();
    }

    /** The text of a property, or {@code null} if it has none. */
    String text(String property) {
        return config.getConfigValue(property).getValue();
    }

    /** The source with its ordinal, such as {@code application.properties (250)}, or {@value #DEFAULT}. */
    String of(String property) {
        ConfigValue value = config.getConfigValue(property);
        return isGiven(property) ? name(value.getSourceName()) + " (" + value.getSourceOrdinal() + ")" : DEFAULT;
    }

    /** A short name of the source; for a file, its name without folders. */
    private static String name(String source) {
        String place = source.replaceFirst("^\\w+\\[source=(.+)]$", "$1");
        return switch (place) {
            case "EnvConfigSource" -> "environment variable";
            case "SysPropConfigSource" -> "system property";
            default -> place.substring(place.lastIndexOf('/') + 1);
        };
    }
}
