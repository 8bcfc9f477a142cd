package org.acme.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

/** The variables of the deployment set the properties that they seem to set. */
class VariablesTest {

    private static final Path EXAMPLES = Path.of("modules/ROOT/examples");
    private static final Pattern VARIABLE = Pattern.compile("- name: ([A-Z0-9_]+)\\s+value: \"([^\"]+)\"");

    @Test
    void variablesSetProperties() throws IOException {
        Map<String, String> variables = new HashMap<>();
        VARIABLE.matcher(Files.readString(EXAMPLES.resolve("kubernetes.yaml"))).results()
                .forEach(variable -> variables.put(variable.group(1), variable.group(2)));

        SmallRyeConfig config = new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(EXAMPLES.resolve("resources/application.properties").toUri().toURL()))
                .withSources(new EnvConfigSource(variables, 300) {
                }).build();

        assertThat(config.getRawValue("quarkus.rate-limit.policies.quotes.permits")).isEqualTo("100");
        assertThat(config.getRawValue("quarkus.rate-limit.key-prefix")).isEqualTo("shop-production");
        assertThat(config.getRawValue("quarkus.rate-limit.replicas")).isEqualTo("3");
        assertThat(config.getRawValue("quarkus.shutdown.timeout")).isEqualTo("10s");
        assertThat(variables).hasSize(4);
    }
}
