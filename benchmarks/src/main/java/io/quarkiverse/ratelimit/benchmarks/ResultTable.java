package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Keeps results as lines of a file in {@code results}, of which charts are drawn. */
final class ResultTable {

    private final List<String> lines = new ArrayList<>(List.of("what,value,low,high"));

    void add(String what, Range range) {
        lines.add(String.format(Locale.ROOT, "\"%s\",%.3f,%.3f,%.3f", what, range.median(), range.low(), range.high()));
    }

    void write(String name) throws IOException {
        Files.write(Files.createDirectories(Path.of("results")).resolve(name + ".csv"), lines);
    }
}
