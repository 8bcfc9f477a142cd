package io.quarkiverse.ratelimit.runtime.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.smallrye.mutiny.Uni;

class StoresTest {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final CapturedLog log = new CapturedLog();

    @BeforeEach
    void enableDebug() {
        LOG.setLevel(Level.ALL);
    }

    @AfterEach
    void close() {
        LOG.setLevel(null);
        log.close();
    }

    @Test
    void waitEndsAlsoWithoutAResult() {
        assertTimeoutPreemptively(Duration.ofSeconds(30),
                () -> Stores.awaitShortly(Uni.createFrom().nothing(), "It never ends"));

        assertThat(log.last()).startsWith("It never ends");
    }

    @Test
    void logSaysWhatIsNotDone() {
        Stores.awaitShortly(Uni.createFrom().failure(new IllegalStateException("no reply")), "Permits are not refunded");

        assertThat(log.last()).startsWith("Permits are not refunded").contains("no reply").doesNotContain("connected");
    }
}
