package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.docs.BarChart.Bar;
import io.quarkiverse.ratelimit.docs.BarChart.Group;
import io.quarkiverse.ratelimit.docs.GrowthChart.Panel;

/** Draws what the benchmarks have measured. */
final class PerformanceCharts {

    private static final String OWN = "quarkus-rate-limit";
    private static final String RANGES = "; lines: from the lowest to the highest round";

    private PerformanceCharts() {
    }

    /** By the charts' names. */
    static Map<String, String> all() throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("peers", BarChart.of("Decisions per second, 10 000 callers", "bars: ratio to the best peer" + RANGES,
                List.of(peers("10 000 keys allowed", "all are allowed", 2),
                        peers("10 000 keys 90 % denied", "nine of ten are denied", 1.8))));
        all.put("hot-key", BarChart.of("Decisions per second, one caller", "bars: ratio to the best peer" + RANGES,
                List.of(peers("one key allowed", "all are allowed", 1.2),
                        peers("one key 90 % denied", "nine of ten are denied", 2),
                        peers("one key 90 % denied refilled at once", "the same, refilled at once", 2))));
        all.put("http", BarChart.of("Requests per second over HTTP", "bars: ratio to the unlimited endpoint" + RANGES,
                Stream.of(http("10 000 callers through Redis", 0.75), http("through Redis", 0.70), http("in memory", 0.92),
                        http("locally", 0.92),
                        http("one caller through Redis", 0), http("one caller in memory", 0))
                        .filter(group -> !group.bars().isEmpty()).toList()));
        all.put("latency", BarChart.of("Latency over HTTP, 99th percentile", "bars: ratio to the unlimited endpoint" + RANGES,
                List.of(latency("a twentieth of the capacity"), latency("a quarter of the capacity"))));
        all.put("growth", GrowthChart.of("How the cost of a decision grows", List.of(
                new Panel("keys", "callers, 64 decisions in flight"),
                new Panel("limits", "limits per call, 10 000 callers, 64 in flight"),
                new Panel("log", "permits of a sliding-log, 8 full logs, 8 in flight"),
                new Panel("in flight", "decisions in flight, 10 000 callers")), Measured.by("growth")));
        return all;
    }

    /** Without the contender that charges calls later, whose bar would make all others too short. */
    private static Group peers(String row, String title, double aim) throws IOException {
        return new Group(title, aim, bestFirst(Measured.by("peers").stream().filter(one -> one.text("row").equals(row))
                .filter(one -> !one.text("contender").equals("Bucket4j with delaying"))
                .map(one -> new Bar(one.text("contender"), one.range("to_best_peer"),
                        Measured.digits(one.number("per_second")) + "/s", one.text("contender").startsWith(OWN)))));
    }

    private static List<Bar> bestFirst(Stream<Bar> bars) {
        return bars.sorted((one, other) -> Double.compare(other.ratio().median(), one.ratio().median())).toList();
    }

    private static Group latency(String load) throws IOException {
        return new Group(load, 0, Measured.by("latency").stream().filter(one -> one.text("load").equals(load))
                .map(one -> new Bar(one.text("endpoint"), one.range("p99_to_unlimited"),
                        Measured.digits(one.number("p99")) + " ms", PerformanceTables.OWN.contains(one.text("endpoint"))))
                .toList());
    }

    private static Group http(String mode, double aim) throws IOException {
        List<Bar> bars = new ArrayList<>();
        for (HttpResult result : HttpResult.of(mode)) {
            bars.add(new Bar(result.endpoint(), result.ratio(), Measured.digits(result.perSecond().median()) + "/s",
                    !result.endpoint().equals(HttpResult.REFERENCE)));
        }
        return new Group(mode, aim, bars);
    }
}
