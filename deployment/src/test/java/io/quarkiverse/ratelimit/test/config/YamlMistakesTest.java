package io.quarkiverse.ratelimit.test.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** Mistakes in a YAML file. */
class YamlMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addAsResource(new StringAsset("""
                    quarkus:
                      rate-limit:
                        enabled: yes
                        on-redis-failure: local
                        headers:
                          - ratelimit
                          - none
                        policies:
                          quotes:
                            permits: 0
                            period: 1ms
                            penalty:
                            mode: shadow
                            key:
                              header: X-Caller
                          "a.b":
                            permits: 2
                            period: 1m
                          2024:
                            permits: 2
                            period: 1m
                            burst: 010
                          on:
                            permits: 2
                            period: 1m
                          limits:
                            permits: 2
                            period: 1m
                            limits:
                              - permits: 3
                                period: 1s
                          list:
                            permits: 1
                            period: 1m
                            exempt-ips:
                              - 10.0.0.0/8
                              -
                              - nonsense
                          ahead:
                            permits: 5
                            period: 1m
                            prefetch: 50
                            penalty:
                              afer: 3
                        routes:
                          - paths: /x
                            policy: quotes
                    """), "application.yaml"))
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll("11 mistakes", "headers=ratelimit,none must be any of",
                            "policies.\"a.b\".* is no name of a policy", "ahead.penalty.afer (application.yaml)",
                            "did you mean quarkus.rate-limit.policies.ahead.penalty.after?", "ahead.prefetch=50 must not be",
                            "limits.limits[0].permits (application.yaml)", "has \"nonsense\"",
                            "quotes.key.header (application.yaml)", "quotes.permits=0 must be a whole number",
                            "routes[0].policy (application.yaml)"));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
