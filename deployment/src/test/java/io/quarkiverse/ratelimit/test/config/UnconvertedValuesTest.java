package io.quarkiverse.ratelimit.test.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Values in a YAML file that cannot be converted. */
class UnconvertedValuesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addAsResource(new StringAsset("""
                    quarkus:
                      rate-limit:
                        on-redis-failure: no
                        timeout: soon
                        replicas: three
                        headers:
                          - ratelimit
                          - x-rate-limit
                        timout: 1s
                        policies:
                          quotes:
                            permits: 1e3
                            period: 1 m
                            mode: off
                          list:
                            permits: [1, 2]
                            period: 1m
                          windows:
                            algorithm: fixed
                            permits: 2
                            calendar: quarter
                            zone: Berlin
                    """), "application.yaml"))
            .assertException(UnconvertedValuesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !String.valueOf(cause.getMessage()).startsWith("Configuration validation failed")) {
            cause = cause.getCause();
        }
        assertThat(cause).hasMessageContainingAll(of("on-redis-failure", "false"), of("timeout", "soon"),
                of("replicas", "three"),
                of("headers[1]", "x-rate-limit"), of("policies.quotes.permits", "1e3"), of("policies.quotes.period", "1 m"),
                of("policies.quotes.mode", "false"), of("policies.list.permits", "1,2"),
                of("policies.windows.algorithm", "fixed"),
                of("policies.windows.calendar", "quarter"), of("policies.windows.zone", "Berlin"));
    }

    private static String of(String property, String value) {
        return "The config property quarkus.rate-limit." + property + " with the config value \"" + value + "\"";
    }

    @Test
    void allAreReportedInOneMessage() {
        fail("The application must not start");
    }
}
