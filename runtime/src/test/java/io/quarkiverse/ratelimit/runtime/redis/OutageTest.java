package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutageTest {

    private final Outage outage = new Outage();

    @Test
    void isOverWhenNoQueueIsUnavailableAnyMore() {
        try (CapturedLog log = new CapturedLog()) {
            outage.queueUnavailable(new RedisStoreException("one queue"));
            outage.queueUnavailable(new RedisStoreException("another"));
            outage.queueAvailable();
            outage.connected();
            outage.end(System.nanoTime());

            assertThat(log.infos()).isZero();

            outage.queueAvailable();
            outage.connected();

            assertThat(log.warnings()).isEqualTo(1);
            assertThat(log.infos()).isEqualTo(1);
        }
    }

    @Test
    void isNotOverWhenAnEarlierRequestGetsItsReply() {
        long before = System.nanoTime();
        try (CapturedLog log = new CapturedLog()) {
            outage.begin(new RedisStoreException("a connection was lost"));
            outage.end(before - 1);
            assertThat(log.infos()).isZero();

            outage.end(System.nanoTime());
            assertThat(log.infos()).isEqualTo(1);
        }
    }
}
