package io.quarkiverse.ratelimit.runtime.store.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;

class OutageTest {

    private final Outage outage = new Outage("");

    @Test
    void isOverWhenNoQueueIsUnavailableAnyMore() {
        try (CapturedLog log = new CapturedLog()) {
            outage.queueUnavailable(new RedisStoreException("one queue"));
            outage.queueUnavailable(new RedisStoreException("another"));
            outage.queueAvailable();
            outage.connected();
            outage.endIfBefore(System.nanoTime());

            assertThat(log.infos()).isZero();

            outage.queueAvailable();
            outage.connected();

            assertThat(log.warnings()).isEqualTo(1);
            assertThat(log.infos()).isEqualTo(1);
        }
    }

    @Test
    void isNotOverWhenARedisThatRepliesWithErrorsIsConnectedAgain() {
        outage.beginWithError(RedisStoreException.error("NOPERM"));

        await().during(Duration.ofMillis(1_100)).until(() -> {
            outage.connected();
            return outage.unavailable().isPresent();
        });

        outage.endIfBefore(System.nanoTime());
        assertThat(outage.unavailable().isPresent()).isFalse();
    }

    @Test
    void isNotOverWhenAnEarlierRequestGetsItsReply() {
        long before = System.nanoTime();
        try (CapturedLog log = new CapturedLog()) {
            outage.begin(new RedisStoreException("a connection was lost"));
            outage.endIfBefore(before - 1);
            assertThat(log.infos()).isZero();

            outage.endIfBefore(System.nanoTime());
            assertThat(log.infos()).isEqualTo(1);
        }
    }
}
