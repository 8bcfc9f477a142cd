package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

class RedisWithoutSchemeTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class))
            .withConfiguration(Limits.threeAnHour("quotes", "ip"))
            .overrideConfigKey("quarkus.redis.hosts", "localhost:6379")
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessage("Rate limits are counted in Redis, but quarkus.redis.hosts has an address that does not begin"
                            + " with redis://, rediss:// or unix://. Write it like redis://localhost:6379."));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
