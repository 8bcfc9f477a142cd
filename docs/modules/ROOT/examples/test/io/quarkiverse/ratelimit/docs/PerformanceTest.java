package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * The charts and tables of performance are what the benchmarks have measured. With {@code -Dpictures} they are generated again.
 */
class PerformanceTest {

    static final String PREFIX = "performance-";
    private static final Path ROOT = Path.of("modules/ROOT");

    @Test
    void chartsAndTablesShowWhatWasMeasured() throws IOException {
        TreeMap<Path, String> made = new TreeMap<>();
        PerformanceCharts.all().forEach((name, text) -> made.put(ROOT.resolve("images/" + PREFIX + name + ".svg"), text));
        PerformanceTables.all().forEach((name, text) -> made.put(ROOT.resolve("partials/" + PREFIX + name + ".adoc"), text));
        if (System.getProperty("pictures") != null) {
            for (Path file : made.keySet()) {
                Files.writeString(file, made.get(file));
            }
        }

        assertThat(made.keySet()).containsExactlyElementsOf(shown());
        for (Path file : made.keySet()) {
            assertThat(file).as("generate it again with -Dpictures").content().isEqualTo(made.get(file));
        }
    }

    private static SortedSet<Path> shown() throws IOException {
        try (Stream<Path> files = Files.find(ROOT, 2, (file, type) -> file.getFileName().toString().startsWith(PREFIX))) {
            return files.collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
