package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** Tenants with a minimum of their own share a pool. Some of them call far too often, at random times. */
@Tag("slow")
class OverflowScriptTenantsTest {

    private static final long START = 1_763_640_000_000_000L;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int TENANTS = 50, MINIMUM = 4, POOL = 800;
    private static final int SECONDS = 5, GREEDY_TENANTS = 10, GREEDY_CALLS = 200;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final Charge minimum = charge("minimum", Limit.tokenBucket(MINIMUM).refill(MINIMUM, SECOND));
    private final Charge pool = charge("pool", Limit.tokenBucket(POOL / 10).refill(POOL, SECOND));
    private final LimitStore minimumAlone = UnboundedStore.withTime(clock::get);

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3 })
    void callThatTheMinimumAloneWouldAllowIsAlwaysAllowed(long seed) {
        Random random = new Random(seed);
        double perSecond = GREEDY_TENANTS * GREEDY_CALLS + (TENANTS - GREEDY_TENANTS) * MINIMUM;
        int within = 0, byPool = 0, denied = 0;
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            while (clock.get() < START + 1_000_000L * SECONDS) {
                clock.addAndGet(Math.round(-Math.log(1 - random.nextDouble()) * 1e6 / perSecond));
                boolean greedy = random.nextDouble() * perSecond < GREEDY_TENANTS * GREEDY_CALLS;
                String tenant = seed + "-" + (greedy ? random.nextInt(GREEDY_TENANTS)
                        : GREEDY_TENANTS + random.nextInt(TENANTS - GREEDY_TENANTS));

                StoreReply alone = decided(minimumAlone, new KeyedCharge(minimum, tenant));
                StoreReply chain = decided(redis, new KeyedCharge(minimum, tenant, "minimum"),
                        new KeyedCharge(pool, "everybody" + seed, "minimum"));

                boolean allowedByMinimum = alone.allows(0, 1);
                assertThat(chain.allows(0, 1)).as("minimum of " + tenant).isEqualTo(allowedByMinimum);
                within += allowedByMinimum ? 1 : 0;
                byPool += !allowedByMinimum && chain.allows(1, 1) ? 1 : 0;
                denied += !allowedByMinimum && !chain.allows(1, 1) ? 1 : 0;
            }
        }
        assertThat(denied).as("as many tenants are greedy").isGreaterThan(2_000);
        assertThat(within).isGreaterThan(GREEDY_TENANTS * MINIMUM * SECONDS);
        assertThat(byPool / (double) (POOL * SECONDS + POOL / 10)).as("use of the pool").isBetween(0.99, 1.0);
    }

    private static Charge charge(String name, Limit limit) {
        Policy policy = policy(name, Mode.ENFORCE, limit);
        return new Charge(policy, PermitRequest.of(1));
    }

    private static StoreReply decided(LimitStore store, KeyedCharge... charges) {
        return store.decide(new Call(1, List.of(charges), null).request()).await().atMost(Duration.ofSeconds(10));
    }
}
