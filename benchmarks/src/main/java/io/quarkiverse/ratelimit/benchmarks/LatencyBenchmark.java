package io.quarkiverse.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

/**
 * Measures how long responses take while requests of 10 000 callers leave by a clock, at a quarter and at half of what the
 * unlimited endpoint can do. The endpoints take turns, round after round.
 */
public final class LatencyBenchmark {

    private static final int CONNECTIONS = 256;
    private static final int WARM_UPS = 1, ROUNDS = 5;
    private static final long MILLIS = 3_000;
    private static final double[] PERCENTILES = { 50, 99, 99.9 };

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Results results = new Results("latency", "load", "endpoint", "per_second", "p50", "p50_low", "p50_high",
            "p99", "p99_low", "p99_high", "p999", "p999_low", "p999_high", "p99_to_unlimited", "p99_to_unlimited_low",
            "p99_to_unlimited_high");

    private LatencyBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        LatencyBenchmark benchmark = new LatencyBenchmark();
        try {
            benchmark.measure();
        } finally {
            benchmark.vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private void measure() throws Exception {
        try (OwnRedis redis = OwnRedis.start();
                Application shared = Application.start("redis", redis.port());
                Application memory = Application.start("memory", redis.port(), "-Dquarkus.rate-limit.store=memory")) {
            HttpLoad load = new HttpLoad(vertx, shared.port(), CONNECTIONS);
            HttpLoad ofMemory = new HttpLoad(vertx, memory.port(), CONNECTIONS);
            Map<String, Endpoint> endpoints = new LinkedHashMap<>();
            endpoints.put("unlimited", new Endpoint(load, "/unlimited"));
            endpoints.put("after one PING", new Endpoint(load, "/round-trip"));
            endpoints.put("through Redis", new Endpoint(load, "/limited"));
            endpoints.put("with prefetch", new Endpoint(load, "/prefetched"));
            endpoints.put("in memory", new Endpoint(ofMemory, "/limited"));
            endpoints.put("Bucket4j on Lettuce", new Endpoint(load, "/bucket4j"));
            endpoints.put("SmallRye @RateLimit", new Endpoint(load, "/smallrye"));
            double capacity = capacity(new HttpLoad(vertx, shared.port(), 64));
            System.out.printf(Locale.ROOT, "unlimited: %,.0f requests per second%n", capacity);
            measure("a quarter of the capacity", capacity / 4, endpoints);
            measure("half of the capacity", capacity / 2, endpoints);
        }
        results.write();
    }

    private static double capacity(HttpLoad load) throws Exception {
        double[] perSecond = new double[5];
        for (int i = 0; i < perSecond.length; i++) {
            long begin = System.nanoTime();
            long done = load.of("/unlimited", 200).run(begin + TimeUnit.MILLISECONDS.toNanos(MILLIS));
            perSecond[i] = done * 1e9 / (System.nanoTime() - begin);
        }
        return perSecond[perSecond.length - 1];
    }

    private void measure(String label, double perSecond, Map<String, Endpoint> endpoints) throws Exception {
        Map<String, List<double[]>> rounds = new LinkedHashMap<>();
        for (int round = -WARM_UPS; round < ROUNDS; round++) {
            for (Map.Entry<String, Endpoint> endpoint : endpoints.entrySet()) {
                double[] percentiles = endpoint.getValue().percentiles(perSecond);
                if (round >= 0) {
                    rounds.computeIfAbsent(endpoint.getKey(), name -> new ArrayList<>()).add(percentiles);
                }
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

    private record Endpoint(HttpLoad load, String path) {

        /** The percentiles of one turn, in milliseconds. */
        double[] percentiles(double perSecond) throws Exception {
            long[] latencies = load.latencies(path, perSecond, MILLIS);
            double[] percentiles = new double[PERCENTILES.length];
            for (int i = 0; i < percentiles.length; i++) {
                percentiles[i] = latencies[(int) (latencies.length * PERCENTILES[i] / 100)] / 1e6;
            }
            return percentiles;
        }
    }
}
