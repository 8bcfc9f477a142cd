package io.quarkiverse.ratelimit.benchmarks;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

/**
 * Measures requests per second to limited endpoints against the same endpoint without limit, and how much processor time each
 * request takes of the application, with 64 requests in flight. One application decides through Redis, one in memory, and one
 * whose Redis is unavailable decides locally. The requests come from 10 000 callers; where {@code wrk} is installed, also
 * from 10 000 and from one with that load, which takes less processor time itself.
 */
public final class HttpBenchmark {

    private static final int IN_FLIGHT = 64;
    private static final int ROUNDS = 9;
    private static final int MILLIS = 2_000;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Results results = new Results("http", "decided", "endpoint", "per_second", "per_second_low",
            "per_second_high", "to_unlimited", "to_unlimited_low", "to_unlimited_high", "us", "us_low", "us_high",
            "us_to_unlimited", "us_to_unlimited_low", "us_to_unlimited_high");

    private HttpBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        HttpBenchmark benchmark = new HttpBenchmark();
        try {
            benchmark.measure();
        } finally {
            benchmark.vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private void measure() throws Exception {
        try (OwnRedis redis = OwnRedis.start();
                Application shared = Application.start("redis", redis.port());
                Application memory = Application.start("memory", redis.port(), "-Dquarkus.rate-limit.store=memory");
                Application local = Application.start("local", Application.freePort())) {
            if (WrkLoad.isInstalled()) {
                WrkLoad wrk = new WrkLoad(shared.port(), IN_FLIGHT);
                rounds(shared).andOf(redis.process())
                        .add("unlimited", wrk.ofManyCallers("/unlimited"))
                        .add("allowed", wrk.ofManyCallers("/limited"))
                        .print("10 000 callers through Redis", results);
            }
            HttpLoad load = new HttpLoad(vertx, shared.port(), IN_FLIGHT);
            rounds(shared)
                    .add("unlimited", load.of("/unlimited", 200))
                    .add("allowed", load.of("/limited", 200))
                    .add("one key allowed with prefetch", load.of("/prefetched", 200))
                    .add("denied", load.of("/denied-by-redis", 200, 429))
                    .add("denied by the denial cache", load.of("/denied", 200, 429))
                    .print("through Redis", results);
            allowedAndDenied("in memory", memory);
            allowedAndDenied("locally", local);
            if (WrkLoad.isInstalled()) {
                WrkLoad wrk = new WrkLoad(shared.port(), IN_FLIGHT);
                rounds(shared)
                        .add("unlimited", wrk.of("/unlimited"))
                        .add("allowed", wrk.of("/limited"))
                        .add("allowed with prefetch", wrk.of("/prefetched"))
                        .print("one caller through Redis", results);
                wrk = new WrkLoad(memory.port(), IN_FLIGHT);
                rounds(memory)
                        .add("unlimited", wrk.of("/unlimited"))
                        .add("allowed", wrk.of("/prefetched"))
                        .print("one caller in memory", results);
            }
        }
        results.write();
    }

    private void allowedAndDenied(String decided, Application application) throws Exception {
        HttpLoad load = new HttpLoad(vertx, application.port(), IN_FLIGHT);
        rounds(application)
                .add("unlimited", load.of("/unlimited", 200))
                .add("allowed", load.of("/limited", 200))
                .add("denied", load.of("/denied", 200, 429))
                .print(decided, results);
    }

    private static Rounds rounds(Application application) {
        return new Rounds(ROUNDS, MILLIS, application.process());
    }
}
