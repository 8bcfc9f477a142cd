package io.quarkiverse.ratelimit.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;

/**
 * Measures how the cost of a decision grows with the number of keys, of limits, of a sliding log's permits, and of decisions
 * in flight: microseconds that pass and that Redis' processor works per decision, and bytes of Redis' memory per key.
 * With {@code PARTS=keys,limits} in the environment only some.
 */
public final class GrowthBenchmark {

    private static final int ROUNDS = 7;
    private static final long MILLIS = 400;
    private static final int KEYS = 10_000, IN_FLIGHT = 64;
    /** Each caller has its own log and one request in flight, so that no requests are merged. */
    private static final int LOGS = 8;
    private static final long PRIME = 1_000_003;
    /** A permit comes back so late that keys stay. */
    private static final Limit PLENTY = Limit.tokenBucket(10_000_000).refill(200_000, Duration.ofDays(366));
    private static final Pattern PROCESSOR = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");
    private static final Pattern MEMORY = Pattern.compile("used_memory:(\\d+)");

    private final Vertx vertx;
    private final Redis redis;
    private final RedisStore store;
    private final Results results = new Results("growth", "part", "size", "us", "us_low", "us_high", "redis_us",
            "redis_us_low", "redis_us_high", "bytes_per_key");

    private GrowthBenchmark(Vertx vertx, Supplier<Redis> clients) {
        this.vertx = vertx;
        this.redis = clients.get();
        this.store = RedisStore.single(vertx, RedisConnector.to(clients), Duration.ofSeconds(5),
                new DecideScript("growth", Clock.systemUTC()));
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
            try {
                new GrowthBenchmark(vertx, () -> Redis.createClient(vertx, redis.address()))
                        .run(Arrays.asList(System.getenv().getOrDefault("PARTS", "in flight,limits,log,keys").split(",")));
            } finally {
                vertx.close().toCompletionStage().toCompletableFuture().join();
            }
        }
    }

    private void run(List<String> parts) throws Exception {
        if (parts.contains("in flight")) {
            compare("in flight", Size.from(1, 1024, 4, inFlight -> new Size(inFlight, KEYS, inFlight, PLENTY)));
        }
        if (parts.contains("limits")) {
            compare("limits", Size.from(1, 8, 2, limits -> new Size(limits, KEYS, IN_FLIGHT, several(limits))));
        }
        if (parts.contains("log")) {
            compare("log", Size.from(10, 100_000, 10, permits -> new Size(permits, LOGS, LOGS,
                    Limit.slidingLog(permits, Duration.ofMillis(permits)))));
        }
        if (parts.contains("keys")) {
            compare("keys", Size.from(1, 1_000_000, 10, keys -> new Size(keys, keys, IN_FLIGHT, PLENTY)));
        }
        store.close();
        results.write();
    }

    private void compare(String part, List<Size> sizes) throws Exception {
        System.out.printf("%n| %s | us per decision | us of Redis | bytes per key |%n| --- | --- | --- | --- |%n", part);
        List<Keys> all = new ArrayList<>();
        for (Size size : sizes) {
            Keys keys = new Keys(part, size);
            keys.fill();
            all.add(keys);
        }
        for (int round = -1; round < ROUNDS; round++) {
            for (Keys keys : all) {
                keys.measure(round >= 0);
            }
        }
        for (Keys keys : all) {
            keys.report();
        }
        redis.send(Request.cmd(Command.FLUSHALL)).toCompletionStage().toCompletableFuture().get();
    }

    private static Limit[] several(int limits) {
        Limit[] several = new Limit[limits];
        Arrays.fill(several, PLENTY);
        return several;
    }

    /**
     * @param number the value in the results
     * @param keys how many callers
     * @param limits of each call
     */
    private record Size(int number, int keys, int inFlight, Limit... limits) {

        static List<Size> from(int least, int most, int factor, IntFunction<Size> sizes) {
            List<Size> all = new ArrayList<>();
            for (int number = least; number <= most; number *= factor) {
                all.add(sizes.apply(number));
            }
            return all;
        }

        /** The number of decisions after which the state of each caller no longer grows. */
        int decisionsUntilFull() {
            Limit first = limits[0];
            return first.algorithm() == Algorithm.SLIDING_LOG ? (int) (keys * (first.permits() + first.permits() / 10)) : keys;
        }
    }

    /** Callers of one size, and what their decisions took. */
    private final class Keys {

        private final String part;
        private final Size size;
        private final Charge charge;
        private final List<Double> took = new ArrayList<>();
        private final List<Double> worked = new ArrayList<>();
        /** Bytes of each key; null if there are too few keys to measure. */
        private Double bytes;

        Keys(String part, Size size) {
            this.part = part;
            this.size = size;
            List<PolicyLimit> limits = new ArrayList<>();
            for (Limit limit : size.limits) {
                limits.add(new PolicyLimit("limit-" + limits.size(), limit));
            }
            this.charge = new Charge(new Policy(part.replace(' ', '-') + "-" + size.number, limits,
                    KeyParser.parse("principal", null), MissingKey.IP, OnRedisFailure.DENY, Mode.ENFORCE, true),
                    PermitRequest.of(1));
        }

        void fill() throws Exception {
            double before = info("memory", MEMORY);
            run(Long.MAX_VALUE, size.decisionsUntilFull(), Math.min(size.keys, IN_FLIGHT));
            bytes = size.keys < KEYS ? null : (info("memory", MEMORY) - before) / size.keys;
        }

        void measure(boolean kept) throws Exception {
            double before = info("cpu", PROCESSOR);
            long began = System.nanoTime();
            long done = run(began + TimeUnit.MILLISECONDS.toNanos(MILLIS), Integer.MAX_VALUE, size.inFlight);
            if (kept) {
                took.add((System.nanoTime() - began) / 1e3 / done);
                worked.add((info("cpu", PROCESSOR) - before) * 1e6 / done);
            }
        }

        void report() {
            Range all = Range.of(ROUNDS, took::get);
            Range inRedis = Range.of(ROUNDS, worked::get);
            results.add(part, size.number, all.median(), all.low(), all.high(), inRedis.median(), inRedis.low(),
                    inRedis.high(), bytes);
            System.out.printf(Locale.ROOT, "| %,d | %s | %s | %s |%n", size.number, all, inRedis,
                    bytes == null ? "" : Math.round(bytes));
        }

        /**
         * Sends requests for one caller after the other, in an order without a pattern. The name of the caller is a new string
         * each time.
         */
        private long run(long deadline, int most, int inFlight) throws Exception {
            return new StoreBenchmark.Loop(vertx, inFlight, deadline) {
                private int left = most;

                @Override
                void send(int n) {
                    String caller = "principal=caller-" + (int) (n * PRIME % size.keys);
                    store.decide(new Call(0, charge, caller, null).request()).subscribe().with(reply -> done(),
                            this::failed);
                }

                @Override
                boolean goesOn() {
                    return --left >= inFlight && super.goesOn();
                }
            }.run();
        }
    }

    private double info(String section, Pattern pattern) throws Exception {
        Matcher found = pattern.matcher(redis.send(Request.cmd(Command.INFO).arg(section)).toCompletionStage()
                .toCompletableFuture().get().toString());
        double sum = 0;
        while (found.find()) {
            sum += Double.parseDouble(found.group(1));
        }
        return sum;
    }
}
