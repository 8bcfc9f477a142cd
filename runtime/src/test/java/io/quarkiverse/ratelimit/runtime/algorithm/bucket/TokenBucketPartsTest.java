package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.BothStores;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** Calls that take a part of what is left, in Redis and in memory. */
class TokenBucketPartsTest {

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

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

        assertThat(stores.decide(limit, PermitRequest.prefetching(80, 1)).state().remaining()).isEqualTo(101 - 25);
        assertThat(stores.decide(limit, PermitRequest.prefetching(8, 1)).state().remaining()).isEqualTo(76 - 8);
        assertThat(stores.decide(limit, PermitRequest.prefetching(30, 3)).state().remaining()).isEqualTo(68 - 15);
    }

    @Test
    void prefetchAcquiresNothingWhenLessThanAnEighthIsLeft() {
        Limit limit = Limit.fixedWindow(80, Duration.ofDays(1));
        stores.acquire(limit, 70);
        assertThat(stores.decide(limit, PermitRequest.prefetching(4, 1)).state().remaining()).isEqualTo(10 - 2);

        assertThat(stores.decide(limit, PermitRequest.prefetching(4, 1)).state()).returns(false, LimitState::allowed)
                .returns(8L, LimitState::remaining);
    }
}
