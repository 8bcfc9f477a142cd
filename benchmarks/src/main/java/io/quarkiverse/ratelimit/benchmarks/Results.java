package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps what a benchmark has measured in {@code results/<benchmark>.csv}, from which the charts and tables of the
 * documentation are generated. The first column names what was measured. Rows that were not measured again do not change.
 */
final class Results {

    private final Path file;
    private final String header;
    private final Map<String, List<String>> lines = new LinkedHashMap<>();

    Results(String benchmark, String... columns) {
        this.file = Path.of("results", benchmark + ".csv");
        this.header = String.join(",", columns);
    }

    /** Adds a row of texts, whole numbers and doubles, which are rounded to four digits; null is an empty field. */
    Results add(String what, Object... values) {
        StringBuilder line = new StringBuilder(field(what));
        for (Object value : values) {
            line.append(',').append(value == null ? "" : field(value));
        }
        lines.computeIfAbsent(what, first -> new ArrayList<>()).add(line.toString());
        return this;
    }

    void write() throws IOException {
        Map<String, List<String>> all = new LinkedHashMap<>();
        if (Files.exists(file)) {
            List<String> old = Files.readAllLines(file);
            if (old.get(0).equals(header)) {
                for (String line : old.subList(1, old.size())) {
                    all.computeIfAbsent(line.substring(0, line.indexOf(',')), first -> new ArrayList<>()).add(line);
                }
            }
        }
        all.putAll(lines);
        List<String> written = new ArrayList<>(List.of(header));
        all.values().forEach(written::addAll);
        Files.createDirectories(file.getParent());
        Files.write(file, written);
    }

    private static String field(Object value) {
        String text = value instanceof Double number
                ? new BigDecimal(number).round(new MathContext(4)).stripTrailingZeros().toPlainString()
                : value.toString();
        if (text.contains(",") || text.contains("\n")) {
            throw new IllegalArgumentException("A field holds no comma and no line break: " + text);
        }
        return text;
    }
}
