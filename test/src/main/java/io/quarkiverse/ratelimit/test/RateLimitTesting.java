package io.quarkiverse.ratelimit.test;

import java.time.Duration;
import java.util.Optional;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.operate.observe.ApproachedLimits;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitBuildTimeConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.smallrye.mutiny.Uni;

/**
 * Resets limits and advances their time in a {@code @QuarkusTest}, so that tests do not sleep. Uses the real scripts and
 * the real Redis, or the real store in memory.
 *
 * <pre>
 * &#64;Inject
 * RateLimitTesting limits;
 *
 * &#64;BeforeEach
 * void freshLimits() {
 *     limits.reset();
 * }
 * </pre>
 *
 * All methods block until they finish. They affect the application under test and every key with its
 * {@code quarkus.rate-limit.key-prefix}. Do not use them with a shared Redis.
 */
@Singleton
public class RateLimitTesting {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final Duration LONGEST_TRY = Duration.ofSeconds(3);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private final LimiterClock clock;
    private final LocalStore local;
    private final Administration administration;
    private final Leases leases;
    private final Engine engine;
    private final ApproachedLimits approached;
    /** Empty when limits are counted in memory. */
    private final Optional<StoredLimits> stored;

    RateLimitTesting(LimiterClock clock, LocalStore local, Administration administration, Leases leases,
            Engine engine, ApproachedLimits approached, RedisClients clients, RateLimitBuildTimeConfig config,
            Settings settings) {
        this.engine = engine;
        this.approached = approached;
        this.administration = administration;
        this.leases = leases;
        this.clock = clock;
        this.local = local;
        this.stored = settings.store() == Store.MEMORY ? Optional.empty()
                : Optional.of(new StoredLimits(() -> clients.holdingKeys(config.redisClient()), settings.keyPrefix()));
    }

    /**
     * Releases held permits, removes all counts, overrides and cached plans, and resets the limiter's clock.
     *
     * @throws IllegalStateException if Redis does not reply within 10 s
     */
    public void reset() {
        leases.releaseAll().await().atMost(LONGEST_WAIT);
        clock.reset();
        local.clear();
        administration.denied().clear();
        approached.clear();
        engine.resolvers().evictPlans();
        // a connection may close at any time, and everything here can be repeated
        removeStored().chain(administration::reload).ifNoItem().after(LONGEST_TRY).fail()
                .onFailure().retry().withBackOff(SHORTEST_PAUSE, LONGEST_PAUSE).expireIn(LONGEST_WAIT.toMillis())
                .onFailure().transform(expired -> notReset(expired.getCause()))
                .await().indefinitely();
    }

    private static IllegalStateException notReset(Throwable failure) {
        return new IllegalStateException("Cannot reset the limits because Redis did not reply: " + failure, failure);
    }

    private Uni<Void> removeStored() {
        return stored.map(all -> Uni.createFrom().completionStage(all::removeAll))
                .orElseGet(() -> Uni.createFrom().voidItem());
    }

    /**
     * Moves the limiter's clock forward. The clock is not stopped: it continues to run from there, so that a slow test can
     * get permits back earlier than by this method alone.
     *
     * @param time at least 0; rounded down to microseconds
     */
    public void advance(Duration time) {
        clock.advance(time);
    }
}
