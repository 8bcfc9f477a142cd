package org.acme;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.redis.datasource.RedisDataSource;

/** Resets all limits before each test. */
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
