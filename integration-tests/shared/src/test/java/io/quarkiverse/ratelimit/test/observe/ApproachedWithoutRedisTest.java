package io.quarkiverse.ratelimit.test.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** While Redis is unavailable, the share is that of the limit which the instance applies. */
@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class ApproachedWithoutRedisTest {

    @Inject
    RateLimiters limiters;

    @Inject
    Observer observer;

    @Test
    void shareIsThatOfTheDividedLimit() {
        assertThat(limiters.get("share-open").forKey("alice").tryAcquire().allowed()).as("nothing is counted").isTrue();
        assertThat(limiters.get("share-local").forKey("bob").tryAcquire(3).allowed()).isTrue();

        assertThat(limiters.get("share-local").forKey("alice").tryAcquire(4).allowed()).isTrue();

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
            if (approached.decision().policy().startsWith("share-")) {
                events.add(approached);
            }
        }
    }
}
