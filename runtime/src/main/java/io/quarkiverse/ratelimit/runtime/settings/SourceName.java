package io.quarkiverse.ratelimit.runtime.settings;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SysPropConfigSource;

/** Names the source of a property as users know it. */
public final class SourceName {

    private SourceName() {
    }

    /** @param source the name that the source gives itself, which for a file contains its URL */
    public static String of(String source) {
        return switch (source) {
            case EnvConfigSource.NAME -> "environment variable";
            case SysPropConfigSource.NAME -> "system property";
            default -> source.replaceFirst("^\\w+\\[source=(?:.*/)?(.+)]$", "$1");
        };
    }
}
