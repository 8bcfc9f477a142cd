package io.quarkiverse.ratelimit.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;

/**
 * Measures the nanoseconds of a decision in memory against a bare compare-and-set: those of the token bucket's arithmetic
 * on state that is changed by one compare-and-set, and those of the whole local store. With {@code THREADS=1} in the
 * environment by one thread only, else by two as well.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LocalBenchmark {

    private static final int ROUNDS = 5;
    private static final int KEYS = 1 << 14;
    private static final String REFERENCE = "compareAndSet", REFERENCE_WITH_TIME = "compareAndSetTime";

    private final AtomicLong number = new AtomicLong();
    private final AtomicReference<Object> plentyState = new AtomicReference<>();
    private final AtomicReference<Object> oneState = new AtomicReference<>();
    private final LongSupplier clock = new LimiterClock().ofThisInstance(Clock.systemUTC());
    private final Operation plenty = act(Limit.tokenBucket(1_000_000_000).refill(1_000_000_000, Duration.ofSeconds(1)));
    private final Operation one = act(Limit.tokenBucket(1).refill(1, Duration.ofDays(100)));
    private final LocalStore store = new LocalStore(clock);
    private final StoreRequest[] questions = new StoreRequest[KEYS];

    public LocalBenchmark() {
        for (int i = 0; i < KEYS; i++) {
            questions[i] = new StoreRequest(List.of(new PolicyRequest("benchmark", false, "principal=caller-" + i,
                    List.of(new LimitOperation("default", plenty)))));
        }
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

    /** All in turn, so that ratios are of the same minute. */
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

    /** One thread's place among the keys. */
    @State(Scope.Thread)
    public static class Endpoint {
        private int n;

        int next() {
            return n++ & KEYS - 1;
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
    public long[] oneKey() {
        return store.decide(questions[0]).await().indefinitely();
    }

    @Benchmark
    public long[] manyKeys(Endpoint place) {
        return store.decide(questions[place.next()]).await().indefinitely();
    }

    private long decide(Operation act, AtomicReference<Object> state) {
        for (;;) {
            Object was = state.get();
            OperationResult verdict = act.decide(was, clock.getAsLong(), 0);
            if (verdict.stored() == null || state.compareAndSet(was, verdict.stored().get())) {
                return verdict.granted();
            }
        }
    }

    private static Operation act(Limit limit) {
        return LimitRule.of(limit).acquire(Call.of(1));
    }
}
