package io.quarkiverse.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs contenders in turn, round after round, and prints the median of each against that of the first. */
final class Rounds {

    /** Does as much as it can until the deadline and says how much it did. */
    interface Contender {
        long run(long deadline) throws Exception;
    }

    private final Map<String, Contender> contenders = new LinkedHashMap<>();
    private final int rounds;
    private final long nanos;

    /** @param millis how long one contender runs in one round */
    Rounds(int rounds, long millis) {
        this.rounds = rounds;
        this.nanos = millis * 1_000_000;
    }

    Rounds add(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /** One row: every contender's median per second, and the median of its ratios to the first one's, with their range. */
    void print(String label) throws Exception {
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = -2; round < rounds; round++) {
            for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
                long begin = System.nanoTime();
                long done = contender.getValue().run(begin + nanos);
                double rate = done * 1e9 / (System.nanoTime() - begin);
                if (round >= 0) {
                    rates.computeIfAbsent(contender.getKey(), name -> new ArrayList<>()).add(rate);
                }
            }
        }
        List<Double> reference = rates.values().iterator().next();
        StringBuilder row = new StringBuilder(String.format("| %-14s |", label));
        rates.forEach((name, rate) -> row.append(String.format(Locale.ROOT, " %s %,.0f/s %s |", name, median(rate),
                rate == reference ? "" : ratio(rate, reference))));
        System.out.println(row);
    }

    private static String ratio(List<Double> rates, List<Double> reference) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            ratios.add(rates.get(i) / reference.get(i));
        }
        double[] sorted = ratios.stream().mapToDouble(ratio -> ratio).sorted().toArray();
        return String.format(Locale.ROOT, "**%.2f** (%.2f to %.2f)", sorted[sorted.length / 2], sorted[0],
                sorted[sorted.length - 1]);
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(value -> value).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
