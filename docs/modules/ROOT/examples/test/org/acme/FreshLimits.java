package org.acme;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;

import io.quarkus.redis.datasource.RedisDataSource;

/** Begins every test with limits that nobody has used. */
public abstract class FreshLimits {

    @Inject
    protected RedisDataSource redis;

    @BeforeEach
    void emptyRedis() {
        redis.flushall();
    }
}
