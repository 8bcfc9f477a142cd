package io.quarkiverse.ratelimit.benchmarks;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

/**
 * Measures requests per second to limited endpoints against the same endpoint without limit, all on the event loop of one
 * packaged application, with 64 in flight from 10 000 callers, and how much processor time each request takes of the
 * application. A second application, whose Redis is unavailable, decides locally.
 */
public final class HttpBenchmark {

    private static final int IN_FLIGHT = 64;
    private static final int ROUNDS = 5;
    private static final int MILLIS = 2_000;

    private HttpBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        Results results = new Results("http", "decided", "endpoint", "per_second", "per_second_low", "per_second_high",
                "to_unlimited", "to_unlimited_low", "to_unlimited_high", "us", "us_low", "us_high", "us_to_unlimited",
                "us_to_unlimited_low", "us_to_unlimited_high");
        try {
            try (OwnRedis redis = OwnRedis.start(); Application application = Application.start("redis", redis.port())) {
                HttpLoad load = new HttpLoad(vertx, application.port(), IN_FLIGHT);
                new Rounds(ROUNDS, MILLIS, application.process())
                        .add("unlimited", load.of("/unlimited", 200))
                        .add("allowed", load.of("/limited", 200))
                        .add("allowed, one key, with prefetch", load.of("/prefetched", 200))
                        .add("denied", load.of("/denied-by-redis", 200, 429))
                        .add("denied by the denial cache", load.of("/denied", 200, 429))
                        .print("through Redis", results);
            }
            try (Application application = Application.start("local", Application.freePort())) {
                HttpLoad load = new HttpLoad(vertx, application.port(), IN_FLIGHT);
                new Rounds(ROUNDS, MILLIS, application.process())
                        .add("unlimited", load.of("/unlimited", 200))
                        .add("allowed", load.of("/limited", 200))
                        .add("denied", load.of("/denied", 200, 429))
                        .print("locally", results);
            }
            results.write();
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
