package io.quarkiverse.ratelimit.test.key;

import static io.quarkiverse.ratelimit.test.key.fixtures.ManyCalls.assertThatNothingIsKept;
import static io.quarkiverse.ratelimit.test.key.fixtures.ManyCalls.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.key.fixtures.ManyCalls;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/**
 * The application stores nothing about callers while Redis counts them. Redis stores a key only as long as it matters. Events
 * of many keys cannot fill the log through a failing observer.
 */
class ManyCallersTest {

    private static final int OBSERVED = 300;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Service.class, Observer.class, Other.class, ManyCalls.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.window.algorithm=fixed-window
                    quarkus.rate-limit.policies.window.permits=10
                    quarkus.rate-limit.policies.window.period=1s
                    quarkus.rate-limit.policies.shared.permits=10
                    quarkus.rate-limit.policies.shared.period=1h
                    quarkus.rate-limit.policies.shared.missing-key=shared
                    quarkus.rate-limit.policies.shared.mode=shadow
                    quarkus.rate-limit.policies.once.permits=1
                    quarkus.rate-limit.policies.once.period=1h
                    quarkus.rate-limit.policies.once.key=header:X-Caller
                    quarkus.rate-limit.policies.once.warn-at=100%
                    """)
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(ManyCallersTest::assertFailuresAreLoggedOnce);

    @Inject
    Service service;

    @Inject
    Observer observer;

    @Inject
    Event<Other> others;

    @Inject
    RedisDataSource redis;

    @Inject
    @RateLimitPolicy("once")
    RateLimiter once;

    @Inject
    @RateLimitPolicy("window")
    RateLimiter window;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
    }

    @Test
    void callersThatWouldWaitLeaveNothingBehind() {
        assertThatNothingIsKept(10_000,
                caller -> window.reactive().forKey("caller " + caller).tryAcquire(1, Duration.ofMillis(1)));
    }

    @Test
    void callersWithoutKeyAreOneKey() {
        send(10_000, caller -> service.shared(""));

        assertThat(redis.key().keys("*:shared:*")).containsExactly("rate-limit:{key!}:shared:default:tb1");
    }

    @Test
    void failuresOfObserversForManyKeysAreLoggedOnce() {
        for (int caller = 0; caller < OBSERVED; caller++) {
            once.forKey("caller" + caller).tryAcquire();
            once.forKey("caller" + caller).tryAcquire();
        }

        await().untilAsserted(() -> assertThat(observer.failures).hasValue(OBSERVED));
        await().untilAsserted(() -> assertThat(observer.approached).hasValue(OBSERVED));
        assertThat(others.fireAsync(new Other())).failsWithin(Duration.ofSeconds(10));
    }

    private static void assertFailuresAreLoggedOnce(List<LogRecord> records) {
        for (String event : List.of("RateLimitExceeded", "RateLimitApproached")) {
            assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                    .filteredOn(message -> message.contains(event)).singleElement().asString()
                    .startsWith("Observers of " + event + " fail. Failures since this was last logged: 1.");
        }
        assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                .as("what others log").filteredOn(message -> message.contains(Other.class.getName())).hasSize(1);
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("shared")
        Uni<String> shared(@RateLimitKey String user) {
            return Uni.createFrom().item("done");
        }
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
