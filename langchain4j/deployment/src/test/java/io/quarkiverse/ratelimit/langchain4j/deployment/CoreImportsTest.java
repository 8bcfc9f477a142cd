package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * The extension uses the limiter, and an experimental part of Quarkus LangChain4j, each through one class, so that changes
 * inside of them do not reach it.
 */
class CoreImportsTest {

    private static final String RUNTIME = "import io.quarkiverse.ratelimit.runtime.";

    @Test
    void extensionImportsOneClassOfTheLimiter() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("../runtime/src/main/java"))) {
            assertThat(files.filter(Files::isRegularFile).flatMap(CoreImportsTest::lines)
                    .filter(line -> line.startsWith(RUNTIME) && !line.startsWith(RUNTIME + "langchain4j."))).isNotEmpty()
                    .allMatch(line -> line.matches(RUNTIME + "engine\\.EstimatedCalls[.;].*"));
        }
    }

    @Test
    void oneClassImportsTheExperimentalPrices() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("../runtime/src/main/java"))) {
            assertThat(files.filter(Files::isRegularFile)
                    .filter(file -> lines(file).anyMatch(line -> line.contains("io.quarkiverse.langchain4j.cost"))))
                    .extracting(file -> file.getFileName().toString()).containsExactly("TokenPrices.java");
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
