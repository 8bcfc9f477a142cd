package io.quarkiverse.ratelimit.benchmarks;

import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** What came out of several rounds. */
record Range(double median, double low, double high) {

    static Range of(int rounds, IntToDoubleFunction result) {
        double[] sorted = IntStream.range(0, rounds).mapToDouble(result).sorted().toArray();
        return new Range(sorted[rounds / 2], sorted[0], sorted[rounds - 1]);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "**%.2f** (%.2f to %.2f)", median, low, high);
    }
}
