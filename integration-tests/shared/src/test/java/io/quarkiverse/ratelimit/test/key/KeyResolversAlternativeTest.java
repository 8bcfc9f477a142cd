package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.arc.DefaultBean;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** An alternative, such as a test's mock, replaces the bean of its name and leaves those of other names. */
@QuarkusTest
class KeyResolversAlternativeTest {

    @Inject
    Service service;

    @Inject
    RedisDataSource redis;

    @Test
    void alternativeReplacesOnlyItsName() {
        service.call();

        assertThat(StateKeys.of(redis, "mocked-parts")).singleElement().asString().contains("bean:mocked!", "|bean:device*",
                "|bean:fallback*");
    }

    @ApplicationScoped
    public static class Service {
        @RateLimited("mocked-parts")
        void call() {
        }
    }

    @ApplicationScoped
    @Identifier("mocked")
    public static class Tenant implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("tenant");
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    @Identifier("mocked")
    public static class Mock implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().nullItem();
        }
    }

    @ApplicationScoped
    @Identifier("device")
    public static class Device implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("device");
        }
    }

    @DefaultBean
    @ApplicationScoped
    @Identifier("fallback")
    public static class Fallback implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("fallback");
        }
    }
}
