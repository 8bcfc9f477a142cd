package io.quarkiverse.ratelimit.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

import io.lettuce.core.api.sync.RedisCommands;

/** Lets contenders take turns, and sees what each of them did in its own. */
final class Comparison {

    private static final int IN_FLIGHT = 64;
    private static final long TURN_NANOS = 600_000_000;
    /** Before each turn, so that a bucket that has filled up in the meantime is used up again. */
    private static final long LEAD_NANOS = 200_000_000;
    private static final int WARM_UPS = 4;
    private static final int GUESSES = 6;
    private static final double FIRST_GUESS = 20_000;
    private static final int IDLE_LOOKS = 10;
    private static final long IDLE_MILLIS = 200;

    private final OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
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
        Map<Contender, List<Turn>> turns = new LinkedHashMap<>();
        Map<Contender, Rate[]> rates = new LinkedHashMap<>();
        for (Contender contender : contenders) {
            if (row.refuses() || !contender.name().equals(OwnLimiter.UNCACHED)) {
                rates.put(contender, row == Row.KEY_REFUSED ? row.rates(tenthOfItsSpeed(contender)) : row.rates(Rate.PLENTY));
                turns.put(contender, new ArrayList<>());
            }
        }
        redis.flushall();
        for (Map.Entry<Contender, Rate[]> one : rates.entrySet()) {
            one.getKey().limit(one.getValue());
        }
        for (int round = 0; round < WARM_UPS; round++) {
            for (Contender contender : rates.keySet()) {
                turn(contender, 0);
            }
        }
        double idle = idleMicrosPerSecond();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<Contender, List<Turn>> one : turns.entrySet()) {
                one.getValue().add(turn(one.getKey(), idle));
            }
        }
        return turns;
    }

    /** Approached, as how fast a contender is depends on how much it refuses. */
    private Rate tenthOfItsSpeed(Contender contender) throws Exception {
        double speed = FIRST_GUESS;
        for (int i = 0; i < GUESSES; i++) {
            redis.flushall();
            contender.limit(Row.KEY_REFUSED.rates(Rate.tenthOf(speed)));
            contender.run(System.nanoTime() + LEAD_NANOS, IN_FLIGHT);
            long began = System.nanoTime();
            long decided = contender.run(began + LEAD_NANOS, IN_FLIGHT).decided();
            speed = Math.sqrt(speed * decided * 1e9 / (System.nanoTime() - began));
        }
        return Rate.tenthOf(speed);
    }

    /** What all contenders' timers take; the least of several looks, as the compiler may still be at work. */
    private double idleMicrosPerSecond() throws Exception {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < IDLE_LOOKS; i++) {
            long began = System.nanoTime();
            long before = machine.getProcessCpuTime();
            Thread.sleep(IDLE_MILLIS);
            least = Math.min(least, (machine.getProcessCpuTime() - before) * 1e6 / (System.nanoTime() - began));
        }
        return least;
    }

    private Turn turn(Contender contender, double idle) throws Exception {
        Tally lead = contender.run(System.nanoTime() + LEAD_NANOS, IN_FLIGHT);
        RedisUse redisBefore = RedisUse.of(redis);
        long clientBefore = machine.getProcessCpuTime();
        long began = System.nanoTime();
        Tally tally = contender.run(began + TURN_NANOS, IN_FLIGHT);
        double seconds = (System.nanoTime() - began) / 1e9;
        double clientMicros = (machine.getProcessCpuTime() - clientBefore) / 1e3 - idle * seconds;
        RedisUse redisAfter = RedisUse.of(redis);
        return new Turn(tally.withFailuresOf(lead), seconds, clientMicros, redisAfter.micros() - redisBefore.micros(),
                contender.sent(command -> redisAfter.calls(command, redisBefore)));
    }
}
