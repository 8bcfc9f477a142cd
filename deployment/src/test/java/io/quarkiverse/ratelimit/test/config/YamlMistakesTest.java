package io.quarkiverse.ratelimit.test.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader.ResolverBeans;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.source.yaml.YamlConfigSource;

/** Mistakes in a YAML file. */
class YamlMistakesTest {

    @TempDir
    Path folder;

    @Test
    void allAreReportedInOneMessage() {
        assertThatThrownBy(() -> read("""
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
                      inverted:
                        permits: 1
                        period: 1m
                        count-when: ! 2xx
                      quoted:
                        permits: 1
                        period: 1m
                        count-when: "! 2xx"
                      padded:
                        permits: 1
                        period: 1m
                        count-when: " 2xx"
                      listed:
                        permits: 1
                        period: 1m
                        count-when: ["401 ", "403"]
                      lines:
                        permits: 1
                        period: 1m
                        count-when:
                          - "401"
                          - " 403"
                      spaced:
                        permits: 1
                        period: 1m
                        count-when: [ "401", "403, 404" ]
                      ahead:
                        permits: 5
                        period: 1m
                        prefetch: 50
                        penalty:
                          afer: 3
                    routes:
                      - paths: /x
                        policy: quotes
                """)).isInstanceOf(ConfigurationException.class)
                .hasMessageContainingAll("16 mistakes", "application.yaml has a count-when with ! outside of quotes",
                        "quoted.count-when=! 2xx must be statuses",
                        "padded.count-when=\" 2xx\" begins or ends with a blank",
                        "listed.count-when=\"401 \" begins or ends", "lines.count-when=\" 403\" begins or ends",
                        "headers=ratelimit,none must be any of",
                        "policies.\"a.b\".* is no name of a policy", "ahead.penalty.afer (application.yaml)",
                        "did you mean quarkus.rate-limit.policies.ahead.penalty.after?", "ahead.prefetch=50 must not be",
                        "limits.limits[0].permits (application.yaml)", "has \"nonsense\"",
                        "quotes.key.header (application.yaml)", "quotes.permits=0 must be a whole number",
                        "routes[0].policy (application.yaml)");
    }

    @Test
    void exclamationMarkAloneIsNoValue() {
        assertThatThrownBy(() -> read("""
                quarkus:
                  rate-limit:
                    policies:
                      quotes:
                        permits: 1
                        period: 1m
                        count-when: !
                """.stripTrailing())).isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("application.yaml has a count-when with ! outside of quotes");
    }

    @Test
    void valuesThatCannotBeConvertedAreReportedInOneMessage() {
        assertThatThrownBy(() -> read("""
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
                """)).isInstanceOf(ConfigValidationException.class)
                .hasMessageContainingAll(of("on-redis-failure", "false"), of("timeout", "soon"),
                        of("replicas", "three"),
                        of("headers[1]", "x-rate-limit"), of("policies.quotes.permits", "1e3"),
                        of("policies.quotes.period", "1 m"),
                        of("policies.quotes.mode", "false"), of("policies.list.permits", "1,2"),
                        of("policies.windows.algorithm", "fixed"),
                        of("policies.windows.calendar", "quarter"), of("policies.windows.zone", "Berlin"));
    }

    private static String of(String property, String value) {
        return "The config property quarkus.rate-limit." + property + " with the config value \"" + value + "\"";
    }

    /** Reads a file as the start does. */
    private void read(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("application.yaml"), yaml);
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withSources(new YamlConfigSource(file.toUri().toURL(), 260))
                .withMapping(RateLimitConfig.class).withMappingIgnore("quarkus.**").build();
        SettingsReader.read(config.getConfigMapping(RateLimitConfig.class), config,
                new PolicyReferences(List.of(), List.of(), List.of()),
                new ResolverBeans(Map.of(), Map.of()));
    }
}
