package io.quarkiverse.ratelimit.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

import io.lettuce.core.api.sync.RedisCommands;

/** Runs contenders in turns, and measures what each of them does in its turn. */
final class Comparison {

    private static final int IN_FLIGHT = 64;
    private static final int WARM_UPS = 5;
    /** Decisions per second. */
    private static final double FIRST_GUESS = 100_000;
    private static final int IDLE_MEASUREMENTS = 10;
    private static final long IDLE_MILLIS = 200;

    private final OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final Map<Contender, Rate> rates = new HashMap<>();
    private final List<Contender> contenders;
    private final RedisCommands<String, String> redis;
    private final int rounds;

    Comparison(List<Contender> contenders, RedisCommands<String, String> redis, int rounds) {
        this.contenders = contenders;
        this.redis = redis;
        this.rounds = rounds;
    }

    /** The turns of each contender, one per round. */
    Map<Contender, List<Turn>> run(Row row) throws Exception {
        redis.flushall();
        Map<Contender, List<Turn>> turns = new LinkedHashMap<>();
        Map<Contender, Double> speeds = new HashMap<>();
        for (Contender contender : contenders) {
            if (row.denies() || !contender.name().equals(OwnLimiter.Form.UNCACHED.label)) {
                turns.put(contender, new ArrayList<>());
                limit(contender, row, 0, row.dependsOnSpeed() ? Rate.tenthOf(FIRST_GUESS, row.refilledAtOnce()) : Rate.PLENTY);
            }
        }
        for (int i = 1; i <= WARM_UPS; i++) {
            for (Contender contender : turns.keySet()) {
                double speed = turn(contender, row, 0).perSecond();
                if (row.dependsOnSpeed()) {
                    // the speed of a contender depends on how much it denies, so approach the rate from both sides
                    speeds.merge(contender, speed, (before, now) -> Math.sqrt(before * now));
                    limit(contender, row, i, Rate.tenthOf(speeds.get(contender), row.refilledAtOnce()));
                }
            }
        }
        double idle = idleMicrosPerSecond();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<Contender, List<Turn>> one : turns.entrySet()) {
                one.getValue().add(turn(one.getKey(), row, idle));
            }
        }
        return turns;
    }

    private void limit(Contender contender, Row row, int time, Rate usual) throws Exception {
        rates.put(contender, usual);
        contender.limit(row + "-" + time + "-", row.rates(usual));
    }

    /** What the timers of all contenders take: the least of several measurements, because the compiler may still be running. */
    private double idleMicrosPerSecond() throws Exception {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < IDLE_MEASUREMENTS; i++) {
            long began = System.nanoTime();
            long before = machine.getProcessCpuTime();
            Thread.sleep(IDLE_MILLIS);
            least = Math.min(least, (machine.getProcessCpuTime() - before) * 1e6 / (System.nanoTime() - began));
        }
        return least;
    }

    /** Calls for a while first, to use up a bucket that was refilled since the last turn. */
    private Turn turn(Contender contender, Row row, double idle) throws Exception {
        Tally lead = contender.run(System.nanoTime() + row.nanos / 5, IN_FLIGHT);
        RedisUse redisBefore = RedisUse.of(redis);
        long clientBefore = machine.getProcessCpuTime();
        long began = System.nanoTime();
        Tally tally = contender.run(began + row.nanos, IN_FLIGHT);
        double seconds = (System.nanoTime() - began) / 1e9;
        double clientMicros = (machine.getProcessCpuTime() - clientBefore) / 1e3 - idle * seconds;
        RedisUse redisAfter = RedisUse.of(redis);
        return new Turn(tally.withFailuresOf(lead), seconds, rates.get(contender).permitsIn(seconds), clientMicros,
                redisAfter.micros() - redisBefore.micros(),
                contender.sent(command -> redisAfter.calls(command, redisBefore)));
    }
}
