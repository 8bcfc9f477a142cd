package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;

/** What registries of Quarkus and code.quarkus.io read about the extension. */
class ExtensionDescriptorTest {

    @Test
    void extensionHasAnIconAndIsOfferedForQuarkus3Only() {
        assertThat(Path.of("../runtime/target/classes/META-INF/quarkus-extension.yaml")).content()
                .contains("icon-url: \"https://", "requires-quarkus-core: \"[3.33,4)\"");
    }
}
