package org.acme;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.redis.datasource.RedisDataSource;

/** Begins every test with limits that nobody has used. */
public abstract class FreshLimits {

    @Inject
    protected RedisDataSource redis;

    @Inject
    protected RateLimitTesting limits;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }
}
