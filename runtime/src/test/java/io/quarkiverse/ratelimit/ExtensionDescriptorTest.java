package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

import org.junit.jupiter.api.Test;

/** What registries of Quarkus read to find out for which versions they offer the extension. */
class ExtensionDescriptorTest {

    private static final Path META_INF = Path.of("target/classes/META-INF");

    @Test
    void extensionIsOfferedForQuarkus3Only() throws Exception {
        Properties properties = new Properties();
        try (InputStream file = Files.newInputStream(META_INF.resolve("quarkus-extension.properties"))) {
            properties.load(file);
        }

        assertThat(properties).containsEntry("requires-quarkus-version", "[3.33,4)");
        assertThat(META_INF.resolve("quarkus-extension.yaml")).content().contains("requires-quarkus-core: \"[3.33,4)\"");
    }
}
