package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GivenPropertiesSourceTest {

    @ParameterizedTest
    @CsvSource({ "PropertiesConfigSource[source=file:/app/config/application.properties], application.properties",
            "PropertiesConfigSource[source=jar:file:///app/a.jar!/application-prod.properties], application-prod.properties",
            "YamlConfigSource[source=file:///app/application.yaml], application.yaml",
            "EnvConfigSource[source=file:/app/.env], .env",
            "PropertiesConfigSource[source=application.properties], application.properties",
            "EnvConfigSource, environment variable", "SysPropConfigSource, system property", "vault, vault" })
    void fileIsNamedWithoutItsFolders(String source, String name) {
        assertThat(GivenProperties.readable(source)).isEqualTo(name);
    }
}
