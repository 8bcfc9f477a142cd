package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One line of what a benchmark has measured, by the names of its columns. */
record Measured(Map<String, String> fields) {

    private static final Path RESULTS = Path.of("../benchmarks/results");

    /** Nothing where the benchmark has not been run. */
    static List<Measured> by(String benchmark) throws IOException {
        Path file = RESULTS.resolve(benchmark + ".csv");
        if (Files.notExists(file)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(file);
        String[] columns = lines.get(0).split(",");
        List<Measured> all = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] values = line.split(",", -1);
            Map<String, String> fields = new LinkedHashMap<>();
            for (int i = 0; i < columns.length; i++) {
                fields.put(columns[i], values[i]);
            }
            all.add(new Measured(fields));
        }
        return all;
    }

    String text(String column) {
        return fields.get(column);
    }

    double number(String column) {
        return Double.parseDouble(fields.get(column));
    }

    /** What lies between the lowest and the highest of several rounds. */
    Range range(String column) {
        return range(column, column + "_low", column + "_high");
    }

    Range range(String column, String low, String high) {
        return new Range(number(column), number(low), number(high));
    }

    /** @param median of several rounds */
    record Range(double median, double low, double high) {

        @Override
        public String toString() {
            return digits(median) + " (" + digits(low) + " to " + digits(high) + ")";
        }
    }

    /** As {@link #digits}, without zeros at the end. */
    static String plain(double number) {
        String digits = digits(number);
        return digits.contains(".") ? digits.replaceFirst("\\.?0+$", "") : digits;
    }

    /** Whole numbers in groups of three digits, small ones with two digits after the point or as many as say something. */
    static String digits(double number) {
        double size = Math.abs(number);
        int places = size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 0.095 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + places + "f", number).replace(',', ' ');
    }
}
