package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;

/** Calls that take a part of what is left, in Redis and in memory. */
class TokenBucketPartsTest {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private BothStores stores;

    @BeforeEach
    void open() {
        stores = new BothStores(REDIS);
        stores.at("2026-11-22T10:00:00Z");
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void allThatIsLeftIsGrantedAtSeveralPermitsPerMicrosecond() {
        Limit limit = Limit.tokenBucket(12).refill(3_000, Duration.ofMillis(1));
        stores.acquire(limit, 8);

        assertThat(stores.decide(limit, new PermitRequest(5, OperationKind.ACQUIRE_UP_TO, 0)).state().remaining()).isZero();
    }

    @Test
    void prefetchAcquiresAQuarterOfWhatIsLeft() {
        Limit limit = Limit.tokenBucket(101).refill(1, Duration.ofDays(1));

        assertThat(stores.decide(limit, PermitRequest.of(1).prefetching(80)).state().remaining()).isEqualTo(101 - 1 - 25);
        assertThat(stores.decide(limit, PermitRequest.of(1).prefetching(8)).state().remaining()).isEqualTo(75 - 1 - 8);
        assertThat(stores.decide(limit, PermitRequest.of(3).prefetching(30)).state().remaining()).isEqualTo(66 - 3 - 15);
    }

    @Test
    void prefetchAcquiresOnlyTheCallWhenLessThanAnEighthIsLeft() {
        Limit limit = Limit.fixedWindow(80, Duration.ofDays(1));
        stores.acquire(limit, 71);

        assertThat(stores.decide(limit, PermitRequest.of(1).prefetching(4)).state().remaining()).isEqualTo(8);
        assertThat(stores.decide(limit, PermitRequest.of(9).prefetching(9)).state().allowed()).isFalse();
        assertThat(stores.decide(limit, PermitRequest.of(8).prefetching(8)).state().remaining()).isZero();
    }
}
