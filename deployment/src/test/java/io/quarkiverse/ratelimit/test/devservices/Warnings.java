package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import org.jboss.logmanager.formatters.PatternFormatter;

/**
 * Log records that a user would take for trouble with Redis or containers.
 */
public final class Warnings {

    private static final List<String> SOURCES = List.of("io.quarkiverse.", "io.quarkus.deployment.", "io.quarkus.devservices.",
            "io.quarkus.redis.", "org.testcontainers.");

    private Warnings() {
    }

    public static boolean include(LogRecord entry) {
        return entry.getLevel().intValue() >= Level.WARNING.intValue()
                && SOURCES.stream().anyMatch(entry.getLoggerName()::startsWith);
    }

    public static void assertNone(List<LogRecord> log) {
        assertThat(log).map(new PatternFormatter("%p [%c] %s")::format).isEmpty();
    }
}
