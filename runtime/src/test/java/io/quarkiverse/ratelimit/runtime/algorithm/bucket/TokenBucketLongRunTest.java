package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.states;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** A caller that always waits for {@code retryAfter} gets the permits per period, whether they divide evenly or not. */
class TokenBucketLongRunTest {

    private static final long START = 1_763_640_000_000_000L;
    private static final int CALLS = 1_000;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private final AtomicLong clock = new AtomicLong(START);
    private final RedisStore redis = FrozenRedis.store(REDIS, clock::get);

    @AfterEach
    void close() {
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({ "7, PT1M, 7", "7, PT1M, 1", "999983, PT24H, 100", "999983, PT24H, 1000000", "700000, PT1S, 3",
            "700000, PT1S, 100000", "1000000000, PT0.001S, 1000000000", "3, PT8784H, 3", "1, PT8784H, 99" })
    void isExactInRedisAndInMemory(long permits, Duration period, long burst) {
        Limit limit = Limit.tokenBucket(burst).refill(permits, period);

        assertExact(redis, limit);
        clock.set(START);
        assertExact(new LocalStore(clock::get), limit);
    }

    /** Exact to 1 ppm, and to the microseconds by which the first and the last wait are rounded up. */
    private void assertExact(LimitStore store, Limit limit) {
        Policy policy = policy("rate", limit);
        Random random = new Random(1);
        decide(store, policy, limit.burst());
        long acquired = limit.burst();
        for (int call = 0; call < CALLS && clock.get() - START < 40L * 366 * 86_400_000_000L; call++) {
            long cost = 1 + random.nextLong(Math.max(1, limit.burst() / 2));
            clock.addAndGet(decide(store, policy, cost).retryAfter().toNanos() / 1_000);
            acquired += decide(store, policy, cost).allowed() ? cost : 0;
        }
        clock.addAndGet(decide(store, policy, limit.burst()).retryAfter().toNanos() / 1_000);

        double due = (double) acquired * limit.period().toNanos() / 1_000 / limit.permits();
        assertThat((double) clock.get() - START).isCloseTo(due, offset(2 + due / 1_000_000));
    }

    private static LimitState decide(LimitStore store, Policy policy, long cost) {
        StoreRequest request = requestOf("rate-" + policy.limits().get(0).limit(), cost, policy);
        return states(request, cost, store.decide(request).await().atMost(Duration.ofSeconds(10)), policy).get(0);
    }
}
