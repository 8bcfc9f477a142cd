package io.quarkiverse.ratelimit.it.codestart;

import static io.quarkus.devtools.codestarts.quarkus.QuarkusCodestartCatalog.Language.JAVA;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.bootstrap.resolver.maven.BootstrapMavenException;
import io.quarkus.bootstrap.resolver.maven.MavenArtifactResolver;
import io.quarkus.devtools.project.QuarkusProjectHelper;
import io.quarkus.devtools.testing.codestarts.QuarkusCodestartTest;
import io.quarkus.maven.dependency.ArtifactKey;
import io.quarkus.registry.catalog.Extension;

/** The tools of Quarkus generate the sources that this module compiles, configures and tests. */
class CodestartTest {

    private static final String DOCUMENTATION = "https://docs.quarkiverse.io/quarkus-rate-limit/dev/";
    private static final Path CODESTART = Path
            .of("../../runtime/src/main/codestarts/quarkus/rate-limit-codestart/java");

    @RegisterExtension
    static final QuarkusCodestartTest PROJECT = QuarkusCodestartTest.builder()
            .languages(JAVA)
            .packageName("org.acme")
            .setupStandaloneExtensionTest("io.quarkiverse.ratelimit:quarkus-rate-limit")
            .extension(ArtifactKey.ga("io.quarkus", "quarkus-rest"))
            .build();

    /** None of the artifacts is installed, so they are resolved in the workspace. */
    @BeforeAll
    static void artifactsAreThoseOfThisBuild() throws BootstrapMavenException {
        QuarkusProjectHelper.setArtifactResolver(MavenArtifactResolver.builder().setWorkspaceDiscovery(true).build());
    }

    @ParameterizedTest
    @ValueSource(strings = { "src/main/java/org/acme/QuoteResource.java", "src/test/java/org/acme/QuoteResourceTest.java" })
    void generatedSourcesAreThoseCompiledHere(String source) throws Throwable {
        PROJECT.assertThatGeneratedFile(JAVA, source).hasSameTextualContentAs(CODESTART.resolve(source));
    }

    @Test
    void generatedConfigurationIsThatOfThisModule() throws Throwable {
        Path properties = Path.of("src/main/resources/application.properties");

        PROJECT.assertThatGeneratedFile(JAVA, properties.toString()).hasSameTextualContentAs(properties);
    }

    @Test
    void testKitIsADependency() throws Throwable {
        PROJECT.assertThatGeneratedFile(JAVA, "pom.xml").content().contains("<artifactId>quarkus-rest</artifactId>")
                .containsPattern("<artifactId>quarkus-rate-limit-test</artifactId>\\s*<version>[\\w.-]+</version>"
                        + "\\s*<scope>test</scope>");
    }

    @Test
    void resourceOfQuarkusRestIsGeneratedToo() throws Throwable {
        PROJECT.assertThatGeneratedFile(JAVA, "src/main/java/org/acme/GreetingResource.java").exists();
        PROJECT.assertThatGeneratedFile(JAVA, "README.md").content().contains("localhost:8080/quotes", "### REST");
    }

    @Test
    void catalogDescribesTheExtension() throws Throwable {
        Extension extension = PROJECT.getExtensionsCatalog().getExtensions().stream()
                .filter(one -> one.getArtifact().getArtifactId().equals("quarkus-rate-limit")).findFirst().orElseThrow();

        assertThat(extension.getName()).isEqualTo("Rate Limit");
        assertThat(extension.getDescription()).contains("across all instances");
        assertThat(Path.of("../../docs/modules/ROOT/attachments/icon.svg")).exists();
        assertThat(extension.getMetadata()).containsEntry("short-name", "rate-limit")
                .containsEntry("status", "experimental")
                .containsEntry("guide", DOCUMENTATION)
                .containsEntry("icon-url", DOCUMENTATION + "_attachments/icon.svg")
                .containsEntry("categories", List.of("web", "cloud"))
                .containsEntry("config", List.of("quarkus.rate-limit."))
                .containsEntry("minimum-java-version", "17")
                .containsEntry("capabilities", Map.of("provides", List.of("io.quarkiverse.ratelimit")))
                .containsKeys("keywords", "scm-url", "built-with-quarkus-core", "extension-dependencies")
                .doesNotContainKey("unlisted")
                .hasEntrySatisfying("codestart", codestart -> assertThat((Map<?, ?>) codestart).hasToString(
                        "{name=rate-limit, languages=[java], artifact=io.quarkiverse.ratelimit:quarkus-rate-limit:codestarts:jar:"
                                + extension.getArtifact().getVersion() + "}"));
    }
}
