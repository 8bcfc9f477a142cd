package io.quarkiverse.ratelimit.runtime.engine.call;

import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.chain;
import static io.quarkiverse.ratelimit.runtime.engine.fixtures.TestLimiter.request;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;

/** Tenants with a guaranteed minimum share a pool: the minimum is always theirs, and nothing of the pool is left unused. */
class OverflowReplyGuaranteeTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int TENANTS = 50, SECONDS = 20, MINIMUM = 4, POOL = 800;

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final Decider shared = Steps.inStore(new LocalStore(clock::get), Source.MEMORY);
    private final Decider minimumAlone = Steps.inStore(new LocalStore(clock::get), Source.MEMORY);
    private final Policy minimum = policy("minimum", Limit.tokenBucket(MINIMUM).refill(MINIMUM, SECOND));
    private final Policy pool = policy("pool", Limit.tokenBucket(POOL).refill(POOL, SECOND));
    private long calls;

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3 })
    void whateverTheMinimumAloneAllowsIsAllowed(long seed) {
        Random random = new Random(seed);
        long[] allowed = new long[TENANTS];
        long byMinimum = 0, denied = 0;
        long end = clock.get() + SECONDS * 1_000_000L;
        while (clock.get() < end) {
            // about 2000 calls per second, most of them by a few greedy tenants
            clock.addAndGet(random.nextInt(1_000));
            int tenant = (int) Math.min(TENANTS - 1, Math.abs(random.nextGaussian()) * TENANTS / 6);
            KeyedCharge own = request(minimum, "tenant" + tenant, PermitRequest.of(1));

            boolean isAllowed = isAllowed(shared, chain(own, request(pool, "", PermitRequest.of(1))));

            if (isAllowed(minimumAlone, own)) {
                byMinimum++;
                assertThat(isAllowed).as("tenant %d within its minimum", tenant).isTrue();
            }
            allowed[tenant] += isAllowed ? 1 : 0;
            denied += isAllowed ? 0 : 1;
        }

        long used = 0;
        for (long ofTenant : allowed) {
            used += ofTenant;
        }
        assertThat(denied).as("more calls than permits").isGreaterThan(SECONDS * 100L);
        // the pool starts full
        assertThat(used - byMinimum).as("permits of the pool").isBetween(SECONDS * POOL * 99L / 100, (SECONDS + 1L) * POOL);
        assertThat(allowed[0]).as("the greedy tenant borrows").isGreaterThan(SECONDS * MINIMUM * 5L);
    }

    private boolean isAllowed(Decider store, KeyedCharge... charges) {
        return !store.decide(new Call(++calls, List.of(charges), null)).await().atMost(SECOND).isDenied();
    }
}
