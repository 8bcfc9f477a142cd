package io.quarkiverse.ratelimit.runtime.devui;

import org.eclipse.microprofile.config.ConfigValue;

import io.quarkiverse.ratelimit.runtime.settings.SourceName;
import io.smallrye.config.SmallRyeConfig;

/** Finds the configuration sources of properties. */
final class PropertySources {

    static final String DEFAULT = "default";

    private final SmallRyeConfig config;

    PropertySources(SmallRyeConfig config) {
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
        return isGiven(property) ? SourceName.of(value.getSourceName()) + " (" + value.getSourceOrdinal() + ")" : DEFAULT;
    }
}
