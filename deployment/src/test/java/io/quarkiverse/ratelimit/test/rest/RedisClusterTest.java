package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

class RedisClusterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class))
            .withConfiguration(Limits.threeAnHour("quotes", "ip"))
            .overrideConfigKey("quarkus.redis.client-type", "cluster")
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessageStartingWith("Rate limits cannot be counted in a Redis Cluster yet"));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
