package io.quarkiverse.ratelimit.runtime.start;

import java.time.Duration;
import java.util.Optional;

import jakarta.enterprise.inject.Instance;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.platform.LogFilter;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.TimedStore;
import io.quarkiverse.ratelimit.runtime.store.TimedStore.RedisObserver;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalOverrides;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisDenials;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisInUse;
import io.quarkiverse.ratelimit.runtime.store.redis.topology.RedisClients;
import io.smallrye.mutiny.Uni;

/** The stores that the configuration chooses: Redis, the memory of this instance, or none. */
record Stores(Settings settings, RedisClients clients, String client, LocalStore local, Optional<RedisStore> redis)
        implements
            RedisInUse {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /**
     * Suppresses the error that Vert.x logs for each connection of the limiter that is reset during its handshake. Until then,
     * no other handler of errors can be set. The limiter logs an outage once. Connections of the application have contexts of
     * their own.
     */
    private static final LogFilter RESETS = new LogFilter("io.vertx.redis.client.impl.RedisConnectionManager",
            entry -> EventLoop.isAnyCurrent());

    /** Begins to connect. */
    static Stores open(Settings settings, RedisClients clients, String client, LocalStore local, LimiterClock clock) {
        boolean uses = settings.enabled() && settings.store() == Store.REDIS
                && (!settings.policies().isEmpty() || clients.isConfigured(client));
        Optional<RedisStore> redis = !uses ? Optional.empty()
                : Optional.of(clients.store(client, settings.keyPrefix(), settings.timeout(), clock));
        if (redis.isPresent()) {
            RESETS.install();
            redis.get().open();
        }
        return new Stores(settings, clients, client, local, redis);
    }

    /** Waits up to a second, so that the first calls find an open connection, and the overrides that are in force. */
    void await(Overrides overrides) {
        if (redis.isPresent()) {
            awaitShortly(Uni.createFrom().completionStage(redis.get().open()).chain(overrides::refresh),
                    "Redis is not connected yet, or the overrides are not read");
        }
    }

    /**
     * Waits up to a second. Never fails, as a failed startup would leave the connections open.
     *
     * @param otherwise the message to log when it is not done
     */
    static void awaitShortly(Uni<Void> done, String otherwise) {
        try {
            done.await().atMost(Duration.ofSeconds(1));
        } catch (RuntimeException notYet) {
            LOG.debugf("%s: %s", otherwise, notYet);
        }
    }

    /** Returns whether anything is counted. */
    boolean areUsed() {
        return redis.isPresent() || settings.countsInMemory();
    }

    /** Returns where calls are counted. */
    Source source() {
        return settings.countsInMemory() ? Source.MEMORY : Source.REDIS;
    }

    /** @param observers created only if there is a Redis to observe */
    LimitStore limits(Instance<RedisObserver> observers) {
        return redis.isPresent() ? TimedStore.of(redis.get(), observers.stream().toList()) : local;
    }

    OverrideStore overrides() {
        return redis.isPresent() ? new RedisOverrides(redis.get(), settings.keyPrefix())
                : settings.countsInMemory() ? local.overrides() : LocalOverrides.none();
    }

    DenialStore denials() {
        return redis.isPresent() ? new RedisDenials(redis.get(), settings.keyPrefix()) : local.denials();
    }

    @Override
    public Optional<RedisHealth> health() {
        return redis.map(RedisStore::health);
    }

    @Override
    public void require() {
        if (redis.isEmpty() && settings.enabled() && !settings.countsInMemory()) {
            clients.require(client);
        }
    }

    void close() {
        if (redis.isPresent()) {
            redis.get().close();
            RESETS.uninstall();
        }
    }
}
