package io.quarkiverse.ratelimit.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** What only dev mode needs stays out of the packaged application. */
class DevModeIT {

    private static final String RUNTIME = "io/quarkiverse/ratelimit/runtime/";

    /** Also reads the jars that a native executable is built from. */
    @Test
    void packagedApplicationHasNoClassOfTheDevMode() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("target"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".jar")).flatMap(DevModeIT::entries))
                    .anyMatch(name -> name.startsWith(RUNTIME + "operate/"))
                    .noneMatch(name -> name.startsWith(RUNTIME + "dev/"));
        }
    }

    private static Stream<String> entries(Path file) {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.stream().map(JarEntry::getName).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
