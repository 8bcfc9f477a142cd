package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.Test;

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
        await().until(() -> Cleanup.DENIED.get() >= deniedBefore + 4);
        // no run is allowed before the reset
        int runs = Cleanup.RUNS.get();
        int asynchronousRuns = Cleanup.ASYNCHRONOUS_RUNS.get();
        int denied = Cleanup.DENIED.get();
        limits.reset();
        Logger.getLogger("").addHandler(handler);
        Cleanup.BROKEN.set(true);
        try {
            await().until(() -> Cleanup.DENIED.get() >= denied + 4 && !logged.isEmpty());
        } finally {
            Cleanup.BROKEN.set(false);
            Logger.getLogger("").removeHandler(handler);
        }

        assertThat(Cleanup.RUNS.get() - runs).isEqualTo(1);
        assertThat(Cleanup.ASYNCHRONOUS_RUNS.get() - asynchronousRuns).isEqualTo(1);
        assertThat(logged).as("errors of other runs").isNotEmpty().allMatch(failure -> failure.contains("broken run"));
    }
}
