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
                    .hasMessageStartingWith("Rate limits are counted in Redis, but quarkus.redis.hosts is not set."
                            + " Set quarkus.redis.hosts, such as redis://localhost:6379"));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
