package io.quarkiverse.ratelimit.runtime.devui;

import org.eclipse.microprofile.config.ConfigValue;

import io.smallrye.config.SmallRyeConfig;

/** Knows where the values of properties come from. */
final class Origins {

    static final String DEFAULT = "default";

    private final SmallRyeConfig config;

    Origins(SmallRyeConfig config) {
        this.config = config;
    }

    boolean isGiven(String property) {
        return config.getConfigValue(property).getValue() != null && !config.getConfigValue(property).isDefault();
    }

    /** The text of a property, {@code null} where there is none. */
    String text(String property) {
        return config.getConfigValue(property).getValue();
    }

    /** The source with its ordinal, such as {@code application.properties (250)}, or {@value #DEFAULT}. */
    String of(String property) {
        ConfigValue value = config.getConfigValue(property);
        return isGiven(property) ? name(value.getSourceName()) + " (" + value.getSourceOrdinal() + ")" : DEFAULT;
    }

    /** A file is known by its name, without the folders that it lies in. */
    private static String name(String source) {
        String place = source.replaceFirst("^\\w+\\[source=(.+)]$", "$1");
        return switch (place) {
            case "EnvConfigSource" -> "environment variable";
            case "SysPropConfigSource" -> "system property";
            default -> place.substring(place.lastIndexOf('/') + 1);
        };
    }
}
