package io.quarkiverse.ratelimit.runtime.store.redis;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.LimitChangesContract;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** The store in Redis keeps what every store promises. */
class RedisStoreContractTest extends LimitChangesContract {

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final RedisStore store = FrozenRedis.store(REDIS, clock::get);

    @Override
    protected LimitStore store() {
        return store;
    }

    @AfterEach
    void close() {
        store.close();
    }
}
