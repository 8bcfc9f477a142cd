package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class ConfiguredHostsTest {

    private static final String HOSTS = "redis://127.0.0.1:1";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withEmptyApplication()
            .overrideConfigKey("quarkus.redis.hosts", HOSTS)
            .setLogRecordPredicate(entry -> new PatternFormatter("%s").format(entry).contains("local Redis"))
            .assertLogRecords(log -> assertThat(log).isEmpty());

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void configuredRedisIsUsed() {
        assertThat(hosts).isEqualTo(HOSTS);
    }
}
