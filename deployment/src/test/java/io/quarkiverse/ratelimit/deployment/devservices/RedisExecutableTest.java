package io.quarkiverse.ratelimit.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class RedisExecutableTest {

    @TempDir
    Path first;
    @TempDir
    Path second;
    @TempDir
    Path scratch;

    @Test
    void serverOnThePathIsPreferred() throws IOException {
        Path installed = program(first, "redis-server", "Redis server v=7.4.1 sha=00000000:0 malloc=libc bits=64 build=0");

        assertThat(find()).isEqualTo(new RedisExecutable(installed, "7.4.1", false));
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void valkeyServesAsWell() throws IOException {
        Path installed = program(second, "valkey-server", "Valkey server v=8.0.1 sha=00000000:0 malloc=libc bits=64 build=0");

        assertThat(find()).isEqualTo(new RedisExecutable(installed, "8.0.1", false));
    }

    @Test
    void nextOneIsUsedWhenTheFirstIsTooOld() throws IOException {
        program(first, "redis-server", "Redis server v=6.0.16 sha=00000000:0 malloc=libc bits=64 build=0");
        Path newer = program(second, "redis-server", "Redis server v=6.2.0 sha=00000000:0 malloc=libc bits=64 build=0");

        assertThat(find()).isEqualTo(new RedisExecutable(newer, "6.2.0", false));
    }

    @Test
    void embeddedOneIsUsedWhenThePathHasNoneThatWorks() throws IOException {
        program(first, "redis-server", "Redis server v=7.4.1 sha=00000000:0 malloc=libc bits=32 build=0");
        program(second, "valkey-server", "command not found");

        RedisExecutable found = find();

        assertThat(found.embedded()).isTrue();
        assertThat(found.path()).hasParent(scratch);
        assertThat(found.version()).startsWith("6.2.");
    }

    @Test
    void errorNamesTheRemedyWhereTheEmbeddedOneDoesNotRun() {
        String system = System.setProperty("os.name", "Plan 9");
        try {
            assertThatIllegalStateException().isThrownBy(this::find)
                    .withMessageContainingAll("quarkus.redis.hosts is not set", "Plan 9", "Install redis-server");
        } finally {
            System.setProperty("os.name", system);
        }
    }

    private RedisExecutable find() {
        return RedisExecutable.find(first + File.pathSeparator + second, scratch);
    }

    private static Path program(Path directory, String name, String output) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\necho '" + output + "'\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
