package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.common.QuarkusTestResource;

/** Every test starts with unused limits. */
@QuarkusTestResource(KafkaBroker.class)
abstract class FreshLimits {

    @Inject
    RateLimitTesting limits;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }
}
