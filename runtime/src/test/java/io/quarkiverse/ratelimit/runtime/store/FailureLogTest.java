package io.quarkiverse.ratelimit.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailureLogTest {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<LogRecord> logged = new ArrayList<>();
    private final Handler capture = new Capture();
    private final FailureLog log = new FailureLog("calls");

    @BeforeEach
    void capture() {
        LOG.addHandler(capture);
    }

    @AfterEach
    void release() {
        LOG.removeHandler(capture);
    }

    @Test
    void failuresAreLoggedOncePerMinuteWithTheirNumber() {
        fail(40, Duration.ZERO);
        assertThat(messages()).singleElement().asString().contains("logged: 1.");

        fail(20, Duration.ofSeconds(59));
        assertThat(messages()).hasSize(1);

        fail(1, Duration.ofSeconds(60));
        assertThat(messages()).hasSize(2).last().asString().contains("logged: 60.");

        fail(1, Duration.ofSeconds(119));
        assertThat(messages()).hasSize(2);

        fail(1, Duration.ofSeconds(180));
        assertThat(messages()).hasSize(3).last().asString().contains("logged: 2.");
    }

    @Test
    void latestFailureIsLogged() {
        IllegalStateException failure = new IllegalStateException("no alert could be sent");

        log.failed(failure, Long.MIN_VALUE);

        assertThat(logged).singleElement().extracting(LogRecord::getThrown).isSameAs(failure);
    }

    private void fail(int failures, Duration at) {
        for (int failure = 0; failure < failures; failure++) {
            log.failed(new IllegalStateException(), Long.MAX_VALUE + at.toNanos());
        }
    }

    private List<String> messages() {
        return logged.stream()
                .map(entry -> entry instanceof ExtLogRecord formatted ? formatted.getFormattedMessage() : entry.getMessage())
                .toList();
    }

    private final class Capture extends Handler {

        @Override
        public void publish(LogRecord entry) {
            logged.add(entry);
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
