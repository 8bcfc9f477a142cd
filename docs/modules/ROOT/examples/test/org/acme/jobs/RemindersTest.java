package org.acme.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkus.scheduler.FailedExecution;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** A delayed job does its work; a denied one fails and leaves the work to a later run. */
@QuarkusTest
@TestProfile(RemindersTest.EverySecond.class)
class RemindersTest {

    @Inject
    Reminders reminders;

    @Inject
    Runs runs;

    @Test
    void deniedRunsFailAndDelayedOnesDoNot() {
        await().atMost(Duration.ofSeconds(30)).until(() -> runs.failed.get() >= 2 && reminders.sentInTurn() >= 4);

        assertThat(reminders.sent()).isEqualTo(2);
        assertThat(runs.waitingFailed).hasValue(0);
    }

    @Singleton
    public static class Runs {

        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger waitingFailed = new AtomicInteger();

        void fail(@ObservesAsync FailedExecution failure) {
            boolean waiting = failure.getExecution().getTrigger().getMethodDescription().endsWith("#remindInTurn");
            (waiting ? waitingFailed : failed).incrementAndGet();
        }
    }

    public static class EverySecond implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("reminders.every", "1s");
        }
    }
}
