package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

class NoRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class))
            .withConfiguration(Limits.threeAnHour("quotes", "ip"))
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessage("Rate limits are counted in Redis, but quarkus.redis.hosts is not set."
                            + " Set quarkus.redis.hosts, such as redis://localhost:6379, or quarkus.redis.hosts-provider-name."
                            + " Without Redis, set quarkus.rate-limit.store=memory: each instance then counts alone."));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
