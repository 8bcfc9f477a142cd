package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class DisabledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class, Limits.class))
            .withConfiguration(Limits.threeAnHour("quotes", "global"))
            .overrideRuntimeConfigKey("quarkus.rate-limit.enabled", "false");

    @Inject
    RedisDataSource redis;

    @Test
    void nothingIsCountedOrDenied() {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(get("/quotes"));
        }

        assertThat(redis.key().keys("rate-limit*")).isEmpty();
    }
}
