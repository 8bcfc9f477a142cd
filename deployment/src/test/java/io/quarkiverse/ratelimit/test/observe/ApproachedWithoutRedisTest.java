package io.quarkiverse.ratelimit.test.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** While Redis is unavailable, the share is that of the limit which the instance applies. */
class ApproachedWithoutRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Observer.class))
            .withConfiguration("""
                    quarkus.redis.hosts=redis://127.0.0.1:1
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.replicas=2
                    quarkus.rate-limit.policies.local.permits=10
                    quarkus.rate-limit.policies.local.period=1h
                    quarkus.rate-limit.policies.local.warn-at=80%
                    quarkus.rate-limit.policies.open.permits=1
                    quarkus.rate-limit.policies.open.period=1h
                    quarkus.rate-limit.policies.open.on-redis-failure=allow
                    quarkus.rate-limit.policies.open.warn-at=1%
                    """);

    @Inject
    RateLimiters limiters;

    @Inject
    Observer observer;

    @Test
    void shareIsThatOfTheDividedLimit() {
        assertThat(limiters.get("open").forKey("alice").tryAcquire().allowed()).as("nothing is counted").isTrue();
        assertThat(limiters.get("local").forKey("bob").tryAcquire(3).allowed()).isTrue();

        assertThat(limiters.get("local").forKey("alice").tryAcquire(4).allowed()).isTrue();

        await().until(() -> !observer.events.isEmpty());
        assertThat(observer.events).singleElement().satisfies(approached -> {
            assertThat(approached.decision().key()).isEqualTo("key=alice");
            assertThat(approached.decision().source()).isEqualTo(Source.FALLBACK);
            assertThat(approached.limits()).singleElement()
                    .satisfies(limit -> assertThat(limit.permits()).isEqualTo(5))
                    .satisfies(limit -> assertThat(limit.remaining()).isEqualTo(1));
        });
    }

    @Singleton
    public static class Observer {

        final List<RateLimitApproached> events = new CopyOnWriteArrayList<>();

        void onApproached(@ObservesAsync RateLimitApproached approached) {
            events.add(approached);
        }
    }
}
