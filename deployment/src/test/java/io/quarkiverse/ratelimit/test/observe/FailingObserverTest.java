package io.quarkiverse.ratelimit.test.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** Events of many keys cannot fill the log through a failing observer. */
class FailingObserverTest {

    private static final int CALLERS = 300;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Observer.class, Other.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.once.permits=1
                    quarkus.rate-limit.policies.once.period=1h
                    quarkus.rate-limit.policies.once.key=header:X-Caller
                    quarkus.rate-limit.policies.once.warn-at=100%
                    """)
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> {
                assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                        .filteredOn(message -> message.contains("RateLimitExceeded")).singleElement().asString()
                        .startsWith("Observers of RateLimitExceeded fail. Failures since this was last logged: 1.");
                assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                        .filteredOn(message -> message.contains("RateLimitApproached")).singleElement().asString()
                        .startsWith("Observers of RateLimitApproached fail. Failures since this was last logged: 1.");
                assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                        .as("what others log").filteredOn(message -> message.contains(Other.class.getName())).hasSize(1);
            });

    @Inject
    Observer observer;

    @Inject
    Event<Other> others;

    @Inject
    RateLimiters limiters;

    @Test
    void failuresForManyKeysAreLoggedOnce() {
        for (int caller = 0; caller < CALLERS; caller++) {
            limiters.get("once").forKey("caller" + caller).tryAcquire();
            limiters.get("once").forKey("caller" + caller).tryAcquire();
        }

        await().untilAsserted(() -> assertThat(observer.failures).hasValue(CALLERS));
        await().untilAsserted(() -> assertThat(observer.approached).hasValue(CALLERS));
        assertThat(others.fireAsync(new Other())).failsWithin(Duration.ofSeconds(10));
    }

    public record Other() {
    }

    @Singleton
    public static class Observer {

        final AtomicInteger failures = new AtomicInteger();

        final AtomicInteger approached = new AtomicInteger();

        void onApproached(@ObservesAsync RateLimitApproached event) {
            approached.incrementAndGet();
            throw new IllegalStateException("no mail could be sent");
        }

        void onExceeded(@ObservesAsync RateLimitExceeded exceeded) {
            failures.incrementAndGet();
            throw new IllegalStateException("no alert could be sent");
        }

        void onOther(@ObservesAsync Other other) {
            throw new IllegalStateException("other");
        }
    }
}
