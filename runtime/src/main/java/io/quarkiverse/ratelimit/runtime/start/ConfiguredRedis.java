package io.quarkiverse.ratelimit.runtime.start;

import java.util.Optional;

import io.quarkiverse.ratelimit.runtime.engine.RedisInUse;
import io.quarkiverse.ratelimit.runtime.redis.RedisClients;
import io.quarkiverse.ratelimit.runtime.redis.RedisHealth;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.settings.Settings;

/** The Redis that the configuration names. */
record ConfiguredRedis(Optional<RedisStore> store, RedisClients clients, String name, Settings settings) implements RedisInUse {

    @Override
    public Optional<RedisHealth> health() {
        return store.map(RedisStore::health);
    }

    @Override
    public void require() {
        if (store.isEmpty() && settings.enabled() && !settings.countsInMemory()) {
            clients.require(name);
        }
    }
}
