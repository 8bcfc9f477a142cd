package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** The path of a request in {@code CONTRIBUTING.md} names files that exist. */
class PathOfARequestTest {

    private static final Path SOURCES = Path.of("src/main/java/io/quarkiverse/ratelimit/runtime");
    private static final Pattern LISTED = Pattern.compile("(?m)^\\| (\\d+) \\| `([\\w.]+)` \\|");
    private static final Pattern HEAD = Pattern.compile("Its main files are these (\\d+), with about (\\d+)\\s+lines");

    private final String text = Files.readString(Path.of("../CONTRIBUTING.md"));

    PathOfARequestTest() throws IOException {
    }

    @Test
    void listedFilesExist() {
        List<Path> files = files();

        assertThat(files).isNotEmpty().doesNotHaveDuplicates().allSatisfy(file -> assertThat(file).exists());
    }

    @Test
    void headHasTheNumberOfFilesAndLines() throws IOException {
        MatchResult head = HEAD.matcher(text).results().findFirst().orElseThrow();
        long lines = 0;
        for (Path file : files()) {
            lines += Files.readAllLines(file).size();
        }

        assertThat(files()).hasSize(Integer.parseInt(head.group(1)));
        assertThat(Long.parseLong(head.group(2))).isBetween(lines * 9 / 10, lines * 11 / 10);
    }

    private List<Path> files() {
        return LISTED.matcher(text).results().map(row -> SOURCES.resolve(row.group(2).replace('.', '/') + ".java")).toList();
    }
}
