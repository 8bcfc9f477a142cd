package io.quarkiverse.ratelimit.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;

/**
 * Measures the nanoseconds of a decision in memory against a bare compare-and-set: those of the token bucket's arithmetic
 * on state that is changed by one compare-and-set, those of the whole local store, and those of Bucket4j, Resilience4j
 * and the token bucket in a cache of Caffeine. All threads use one key, or each its own part of 10 000 keys. With
 * {@code THREADS=1} in the environment by one thread only, else by two as well.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LocalBenchmark {

    private static final int ROUNDS = 5;
    private static final int KEYS = 10_000;
    private static final String REFERENCE = "compareAndSet", REFERENCE_WITH_TIME = "compareAndSetTime";

    private static final Limit PLENTY = Limit.tokenBucket(1_000_000_000).refill(1_000_000_000, Duration.ofSeconds(1));
    /** Is never used up here, and its states do not expire. */
    private static final Limit LASTING = Limit.tokenBucket(1_000_000_000).refill(11_000_000, Duration.ofDays(366));

    private final AtomicLong number = new AtomicLong();
    private final AtomicReference<Object> plentyState = new AtomicReference<>();
    private final AtomicReference<Object> oneState = new AtomicReference<>();
    private final LongSupplier clock = new LimiterClock().ofThisInstance(Clock.systemUTC());
    private final Operation plenty = acquire(PLENTY);
    private final Operation one = acquire(Limit.tokenBucket(1).refill(1, Duration.ofDays(100)));
    private final Operation lasting = acquire(LASTING);
    private final LocalStore store = new LocalStore(clock);
    private final StoreRequest[] requests = new StoreRequest[KEYS];
    private final String[] keys = new String[KEYS];
    private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();
    private final Map<String, RateLimiter> limiters = new ConcurrentHashMap<>();
    private final RateLimiterConfig manyPermits = RateLimiterConfig.custom().limitForPeriod(1_000_000_000)
            .limitRefreshPeriod(Duration.ofSeconds(1)).timeoutDuration(Duration.ZERO).build();
    private final ConcurrentMap<String, OperationResult> cached = Caffeine.newBuilder().maximumSize(200_000)
            .executor(Runnable::run)
            .expireAfter(Expiry.<String, OperationResult> writing(
                    (key, result) -> Duration.of(result.expiresAt() - clock.getAsLong(), ChronoUnit.MICROS)))
            .<String, OperationResult> build().asMap();

    public LocalBenchmark() {
        Charge charge = new Charge(policy(), PermitRequest.of(1));
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "principal=caller-" + i;
            requests[i] = new Call(0, charge, keys[i], null).request();
        }
    }

    private static Policy policy() {
        return new Policy("benchmark", List.of(new PolicyLimit("default", LASTING)), null, MissingKey.IP, OnRedisFailure.LOCAL,
                io.quarkiverse.ratelimit.runtime.policy.Mode.ENFORCE, true);
    }

    public static void main(String[] arguments) throws Exception {
        Results results = new Results("local", "threads", "decision", "ns", "ns_low", "ns_high", "to_cas", "to_cas_low",
                "to_cas_high", "to_cas_of_time", "to_cas_of_time_low", "to_cas_of_time_high", "bytes");
        for (String threads : System.getenv().getOrDefault("THREADS", "1,2").split(",")) {
            List<Map<String, RunResult>> rounds = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                rounds.add(round(Integer.parseInt(threads)));
            }
            System.out.printf("%n| %s threads | ns | to a compare-and-set | to one of the time | bytes |%n| --- | --- |"
                    + " --- | --- | --- |%n", threads);
            for (String name : rounds.get(0).keySet()) {
                Range took = Range.of(ROUNDS, i -> nanos(rounds.get(i), name));
                Range bare = Range.of(ROUNDS, i -> nanos(rounds.get(i), name) / nanos(rounds.get(i), REFERENCE));
                Range ofTime = Range.of(ROUNDS, i -> nanos(rounds.get(i), name) / nanos(rounds.get(i), REFERENCE_WITH_TIME));
                Range bytes = Range.of(ROUNDS, i -> rounds.get(i).get(name).getSecondaryResults()
                        .get("gc.alloc.rate.norm").getScore());
                results.add(threads, name, took.median(), took.low(), took.high(), bare.median(), bare.low(),
                        bare.high(), ofTime.median(), ofTime.low(), ofTime.high(), (double) Math.round(bytes.median()));
                System.out.printf(Locale.ROOT, "| %s | %s | %s | %s | %.0f |%n", name, took, bare, ofTime, bytes.median());
            }
        }
        results.write();
    }

    /** Runs all benchmarks one after the other, so that ratios are of the same minute. */
    private static Map<String, RunResult> round(int threads) throws RunnerException {
        Map<String, RunResult> results = new TreeMap<>();
        for (RunResult result : new Runner(new OptionsBuilder().include(LocalBenchmark.class.getSimpleName()).threads(threads)
                .forks(1).warmupIterations(2).warmupTime(TimeValue.seconds(1)).measurementIterations(1)
                .measurementTime(TimeValue.seconds(1)).addProfiler(GCProfiler.class).verbosity(VerboseMode.SILENT)
                .build()).run()) {
            String name = result.getParams().getBenchmark();
            results.put(name.substring(name.lastIndexOf('.') + 1), result);
        }
        return results;
    }

    private static double nanos(Map<String, RunResult> round, String name) {
        return round.get(name).getPrimaryResult().getScore();
    }

    /** One thread's place among its own keys. */
    @State(Scope.Thread)
    public static class Place {
        private int first;
        private int count;
        private int n;

        @Setup
        public void share(ThreadParams threads) {
            count = KEYS / threads.getThreadCount();
            first = count * threads.getThreadIndex();
        }

        int next() {
            n = n + 1 == count ? 0 : n + 1;
            return first + n;
        }
    }

    @Benchmark
    public long compareAndSet() {
        for (;;) {
            long was = number.get();
            if (number.compareAndSet(was, was + 1)) {
                return was;
            }
        }
    }

    /** No limit decides without the time, so this is the least that a decision can take. */
    @Benchmark
    public long compareAndSetTime() {
        for (;;) {
            long was = number.get();
            long now = clock.getAsLong();
            if (number.compareAndSet(was, now)) {
                return now;
            }
        }
    }

    @Benchmark
    public long allowed() {
        return decide(plenty, plentyState);
    }

    @Benchmark
    public long denied() {
        return decide(one, oneState);
    }

    @Benchmark
    public StoreReply oneKey() {
        return store.decideNow(requests[0]);
    }

    @Benchmark
    public StoreReply manyKeys(Place place) {
        return store.decideNow(requests[place.next()]);
    }

    @Benchmark
    public OperationResult caffeineOneKey() {
        return inCache(keys[0]);
    }

    @Benchmark
    public OperationResult caffeineManyKeys(Place place) {
        return inCache(keys[place.next()]);
    }

    @Benchmark
    public boolean bucket4jOneKey() {
        return inBucket4j(keys[0]);
    }

    @Benchmark
    public boolean bucket4jManyKeys(Place place) {
        return inBucket4j(keys[place.next()]);
    }

    @Benchmark
    public boolean resilience4jOneKey() {
        return inResilience4j(keys[0]);
    }

    @Benchmark
    public boolean resilience4jManyKeys(Place place) {
        return inResilience4j(keys[place.next()]);
    }

    private OperationResult inCache(String key) {
        return cached.compute(key,
                (same, was) -> lasting.decide(was == null ? null : was.stored().get(), clock.getAsLong(), 0, List.of()));
    }

    private boolean inBucket4j(String key) {
        return buckets.computeIfAbsent(key, k -> Bucket.builder().addLimit(limit -> limit.capacity(1_000_000_000)
                .refillGreedy(11_000_000, Duration.ofDays(366))).build()).tryConsume(1);
    }

    private boolean inResilience4j(String key) {
        return limiters.computeIfAbsent(key, k -> RateLimiter.of(k, manyPermits)).acquirePermission();
    }

    private long decide(Operation operation, AtomicReference<Object> state) {
        for (;;) {
            Object was = state.get();
            OperationResult result = operation.decide(was, clock.getAsLong(), 0, List.of());
            if (result.stored() == null || state.compareAndSet(was, result.stored().get())) {
                return result.reply().granted();
            }
        }
    }

    private static Operation acquire(Limit limit) {
        return PolicyLimit.ruleOf(limit).acquire(PermitRequest.of(1));
    }
}
