package io.quarkiverse.ratelimit.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogFilterTest {

    private static final Logger LOGGER = Logger.getLogger("of.another.component");

    private final LogFilter filter = new LogFilter(LOGGER.getName(), entry -> entry.getMessage().contains("repeated"));

    @BeforeEach
    void install() {
        LOGGER.setFilter(entry -> !entry.getMessage().contains("unwanted"));
        filter.install();
    }

    @AfterEach
    void reset() {
        LOGGER.setFilter(null);
        LOGGER.setLevel(null);
    }

    @Test
    void onlyRepeatedEntriesAreSuppressed() {
        assertThat(logs("a repeated entry")).isFalse();
        assertThat(logs("another entry")).isTrue();
    }

    @Test
    void nothingIsSuppressedIfTheApplicationSetsTheLevel() {
        LOGGER.setLevel(Level.SEVERE);
        assertThat(logs("a repeated entry")).isTrue();
    }

    @Test
    void theFilterOfTheApplicationRemains() {
        assertThat(logs("an unwanted entry")).isFalse();
        LOGGER.setLevel(Level.SEVERE);
        assertThat(logs("an unwanted entry")).isFalse();

        filter.uninstall();
        assertThat(logs("an unwanted entry")).isFalse();
        assertThat(logs("a repeated entry")).isTrue();
    }

    @Test
    void aFilterThatReplacesItRemains() {
        Filter replacement = entry -> true;
        LOGGER.setFilter(replacement);
        filter.uninstall();
        assertThat(LOGGER.getFilter()).isSameAs(replacement);
    }

    private static boolean logs(String message) {
        return LOGGER.getFilter().isLoggable(new LogRecord(Level.SEVERE, message));
    }
}
