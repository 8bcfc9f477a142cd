package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.arc.DefaultBean;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** An alternative, such as a test's mock, replaces the bean of its name and leaves those of other names. */
class AlternativeResolverTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Service.class, Tenant.class, Mock.class, Device.class, Fallback.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.parts.permits=2
                    quarkus.rate-limit.policies.parts.period=1h
                    quarkus.rate-limit.policies.parts.key=bean:tenant,bean:device,bean:fallback
                    quarkus.rate-limit.policies.parts.missing-key=shared
                    """);

    @Inject
    Service service;

    @Inject
    RedisDataSource redis;

    @Test
    void alternativeReplacesOnlyItsName() {
        service.call();

        assertThat(redis.key().keys("*[^0-9]")).singleElement().asString().contains("bean:tenant!", "|bean:device*",
                "|bean:fallback*");
    }

    @ApplicationScoped
    public static class Service {
        @RateLimited("parts")
        void call() {
        }
    }

    @ApplicationScoped
    @Identifier("tenant")
    public static class Tenant implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("tenant");
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    @Identifier("tenant")
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
