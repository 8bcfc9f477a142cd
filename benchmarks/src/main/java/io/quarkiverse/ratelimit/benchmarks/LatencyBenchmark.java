package io.quarkiverse.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long responses take while requests of 10 000 callers leave by a clock, at a twentieth and at a quarter of what
 * the unlimited endpoint can do. The endpoints take turns, round after round. At half, on two cores that also make the load,
 * requests would wait for each other.
 */
public final class LatencyBenchmark {

    private static final int ROUNDS = 7;
    private static final int SECONDS = 3;
    private static final double[] PERCENTILES = { 50, 99, 99.9 };

    private final Results results = new Results("latency", "load", "endpoint", "per_second", "p50", "p50_low", "p50_high",
            "p99", "p99_low", "p99_high", "p999", "p999_low", "p999_high", "p99_to_unlimited", "p99_to_unlimited_low",
            "p99_to_unlimited_high");

    private LatencyBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        new LatencyBenchmark().measure();
    }

    private void measure() throws Exception {
        try (OwnRedis redis = OwnRedis.start();
                Application shared = Application.start("redis", redis.port());
                Application memory = Application.start("memory", redis.port(), "-Dquarkus.rate-limit.store=memory")) {
            Map<String, H2Load> endpoints = new LinkedHashMap<>();
            endpoints.put("unlimited", new H2Load(shared.port(), "/unlimited"));
            endpoints.put("after one PING", new H2Load(shared.port(), "/round-trip"));
            endpoints.put("through Redis", new H2Load(shared.port(), "/limited-by-query"));
            endpoints.put("with prefetch=100", new H2Load(shared.port(), "/prefetched-100"));
            endpoints.put("with prefetch=5000", new H2Load(shared.port(), "/prefetched-5000"));
            endpoints.put("in memory", new H2Load(memory.port(), "/limited-by-query"));
            endpoints.put("Bucket4j on Lettuce", new H2Load(shared.port(), "/bucket4j"));
            endpoints.put("SmallRye @RateLimit", new H2Load(shared.port(), "/smallrye"));
            double capacity = capacity(shared.port());
            System.out.printf(Locale.ROOT, "unlimited: %,.0f requests per second%n", capacity);
            for (H2Load endpoint : endpoints.values()) {
                // the compilers of the virtual machine need many requests
                endpoint.latencies(capacity / 3, 2 * SECONDS);
            }
            measure("a twentieth of the capacity", capacity / 20, endpoints);
            measure("a quarter of the capacity", capacity / 4, endpoints);
        }
        results.write();
    }

    private static double capacity(int port) throws Exception {
        WrkLoad load = new WrkLoad(port, 64);
        double perSecond = 0;
        for (int i = 0; i < 5; i++) {
            perSecond = load.of("/unlimited").run(System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS)) / (double) SECONDS;
        }
        return perSecond;
    }

    private void measure(String label, double perSecond, Map<String, H2Load> endpoints) throws Exception {
        Map<String, List<double[]>> rounds = new LinkedHashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (Map.Entry<String, H2Load> endpoint : endpoints.entrySet()) {
                double[] latencies = endpoint.getValue().latencies(perSecond, SECONDS);
                rounds.computeIfAbsent(endpoint.getKey(), name -> new ArrayList<>()).add(
                        Arrays.stream(PERCENTILES).map(part -> latencies[(int) (latencies.length * part / 100)]).toArray());
            }
        }
        List<double[]> unlimited = rounds.values().iterator().next();
        rounds.forEach((name, all) -> {
            Range p50 = Range.of(ROUNDS, i -> all.get(i)[0]);
            Range p99 = Range.of(ROUNDS, i -> all.get(i)[1]);
            Range p999 = Range.of(ROUNDS, i -> all.get(i)[2]);
            Range ratio = Range.of(ROUNDS, i -> all.get(i)[1] / unlimited.get(i)[1]);
            System.out.printf(Locale.ROOT, "| %s | %s | %s | %s | %s | %s |%n", label, name, p50, p99, p999, ratio);
            results.add(label, name, perSecond, p50.median(), p50.low(), p50.high(), p99.median(), p99.low(), p99.high(),
                    p999.median(), p999.low(), p999.high(), ratio.median(), ratio.low(), ratio.high());
        });
    }
}
