package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** The three examples of Redis' guide to token buckets: capacity, refill rate and interval. */
class TokenBucketGuideTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final RedisStore store = FrozenRedis.store(REDIS, clock::get);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void tenAtOnceAndOneEachSecond() {
        Policy policy = policy("10-1-1s", Limit.tokenBucket(10).refillInterval(1, SECOND));

        assertThat(allowedOf(15, policy)).isEqualTo(10);
        assertThat(decide(policy).retryAfter()).isEqualTo(SECOND);
        pass(Duration.ofMillis(999));
        assertThat(allowedOf(1, policy)).isZero();
        pass(Duration.ofMillis(1));
        assertThat(allowedOf(2, policy)).isEqualTo(1);
        pass(Duration.ofMillis(4_500));
        assertThat(allowedOf(10, policy)).isEqualTo(4);
        assertThat(decide(policy).retryAfter()).as("whole intervals only").isEqualTo(Duration.ofMillis(500));
        pass(Duration.ofSeconds(30));
        assertThat(allowedOf(15, policy)).as("never more than the capacity").isEqualTo(10);
    }

    @Test
    void aHundredAtOnceAndTenEachSecond() {
        Policy policy = policy("100-10-1s", Limit.tokenBucket(100).refillInterval(10, SECOND));

        assertThat(allowedOf(120, policy)).isEqualTo(100);
        pass(SECOND);
        assertThat(allowedOf(15, policy)).isEqualTo(10);
        pass(SECOND.multipliedBy(3));
        assertThat(decide(policy).remaining()).isEqualTo(29);
        assertThat(allowedOf(40, policy)).isEqualTo(29);
    }

    @Test
    void sixtyAtOnceAndSixtyEachMinute() {
        Policy policy = policy("60-60-1m", Limit.tokenBucket(60).refillInterval(60, MINUTE));

        assertThat(allowedOf(30, policy)).isEqualTo(30);
        pass(Duration.ofSeconds(59));
        assertThat(allowedOf(31, policy)).isEqualTo(30);
        assertThat(decide(policy).retryAfter()).isEqualTo(SECOND);
        pass(SECOND);
        assertThat(allowedOf(61, policy)).isEqualTo(60);
        assertThat(decide(policy)).returns(MINUTE, LimitState::retryAfter).returns(MINUTE, LimitState::resetAfter);
    }

    private long allowedOf(int count, Policy policy) {
        long allowed = 0;
        for (int i = 0; i < count; i++) {
            allowed += decide(policy).allowed() ? 1 : 0;
        }
        return allowed;
    }

    private LimitState decide(Policy policy) {
        StoreRequest request = requestOf("guide", 1, policy);
        return states(request, 1, store.decide(request).await().atMost(Duration.ofSeconds(10)), policy).get(0);
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos() / 1_000);
    }
}
