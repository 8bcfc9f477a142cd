package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** A cluster's nodes are found by their hosts. */
class RedisClusterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class))
            .withConfiguration(Limits.threeAnHour("quotes", "ip"))
            .overrideConfigKey("quarkus.redis.client-type", "cluster")
            .overrideConfigKey("quarkus.redis.hosts", "unix:///tmp/redis.sock")
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessage("Rate limits are counted in a Redis of several nodes, but quarkus.redis.hosts has an address"
                            + " without the host name or address of a node. Write it like redis://localhost:6379."));

    @Test
    void startFailsWithoutHost() {
        fail("The application must not start");
    }
}
