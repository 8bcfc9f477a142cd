package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.ErrorLog;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.junit.QuarkusTest;

/** Denied runs are skipped without errors in the log. */
@QuarkusTest
class ScheduledTest extends FreshLimits {

    @Test
    void deniedRunsAreSkippedQuietly() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getThrown() != null) {
                    logged.add(entry.getThrown().toString());
                }
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        int deniedBefore = Cleanup.DENIED.get();
        await().until(() -> Cleanup.DENIED.get() >= deniedBefore + 8);
        // no run is allowed before the reset
        int runs = Cleanup.RUNS.get();
        int asynchronousRuns = Cleanup.ASYNCHRONOUS_RUNS.get();
        int stagedRuns = Cleanup.STAGED_RUNS.get();
        int nonBlockingRuns = Cleanup.NON_BLOCKING_RUNS.get();
        int denied = Cleanup.DENIED.get();
        limits.reset();
        Logger.getLogger("").addHandler(handler);
        Cleanup.BROKEN.set(true);
        try {
            await().until(() -> Cleanup.DENIED.get() >= denied + 8 && !logged.isEmpty());
        } finally {
            Cleanup.BROKEN.set(false);
            Logger.getLogger("").removeHandler(handler);
        }

        assertThat(Cleanup.RUNS.get() - runs).isEqualTo(1);
        assertThat(Cleanup.ASYNCHRONOUS_RUNS.get() - asynchronousRuns).isEqualTo(1);
        assertThat(Cleanup.STAGED_RUNS.get() - stagedRuns).isEqualTo(1);
        assertThat(Cleanup.NON_BLOCKING_RUNS.get() - nonBlockingRuns).isEqualTo(1);
        assertThat(Cleanup.ON_EVENT_LOOP)
                .isEqualTo(Map.of("plain", false, "uni", true, "stage", true, "non-blocking", false));
        assertThat(logged).as("errors of other runs").isNotEmpty().allMatch(failure -> failure.contains("broken run"));
    }

    @Test
    void deniedRunsAreLoggedIfTheApplicationSetsTheLevel() {
        Logger scheduler = Logger.getLogger("io.quarkus.scheduler.common.runtime.StatusEmitterInvoker");
        scheduler.setLevel(Level.SEVERE);
        try {
            int denied = Cleanup.DENIED.get();
            List<String> errors = ErrorLog.during(() -> await().until(() -> Cleanup.DENIED.get() >= denied + 6));
            assertThat(errors).anyMatch(error -> error.contains("RateLimitExceededException"));
        } finally {
            scheduler.setLevel(null);
        }
    }
}
