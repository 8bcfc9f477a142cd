package io.quarkiverse.ratelimit.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

import com.sun.management.ThreadMXBean;

/**
 * Runs contenders in turn, round after round, and prints the median of each against that of the first: how much they do,
 * and how much processor time of one process each of it takes. If that is this process, also how many bytes it allocates.
 */
final class Rounds {

    /** Does as much as it can until the deadline, and returns how much it did. */
    interface Contender {
        long run(long deadline) throws Exception;
    }

    private static final int WARM_UPS = 4;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<String, Contender> contenders = new LinkedHashMap<>();
    private final int rounds;
    private final long nanos;
    private final ProcessHandle measured;
    /** A server whose processor time is printed, too; {@code null} for none. */
    private ProcessHandle server;

    /** Rounds that measure the processor time and the allocation of this process. */
    Rounds(int rounds, long millis) {
        this(rounds, millis, ProcessHandle.current());
    }

    /**
     * @param millis how long one contender runs in one round
     * @param measured the process whose processor time is measured
     */
    Rounds(int rounds, long millis, ProcessHandle measured) {
        this.rounds = rounds;
        this.nanos = millis * 1_000_000;
        this.measured = measured;
    }

    /** Prints the processor time of this process, too. */
    Rounds andOf(ProcessHandle server) {
        this.server = server;
        return this;
    }

    Rounds add(String name, Contender contender) {
        contenders.put(name, contender);
        return this;
    }

    /** One line per contender; the first one is the reference of all ratios, which are computed for each round. */
    void print(String label) throws Exception {
        print(label, null);
    }

    /** Does the same, and adds it to these results. */
    void print(String label, Results results) throws Exception {
        Map<String, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = -WARM_UPS; round < rounds; round++) {
            for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
                Turn turn = turn(contender.getValue());
                if (round >= 0) {
                    turns.computeIfAbsent(contender.getKey(), name -> new ArrayList<>()).add(turn);
                }
            }
        }
        String first = contenders.keySet().iterator().next();
        List<Turn> reference = turns.get(first);
        turns.forEach((name, all) -> {
            Range rate = Range.of(all.size(), i -> all.get(i).rate);
            Range cpu = Range.of(all.size(), i -> all.get(i).cpu);
            Range rateRatio = Range.of(all.size(), i -> all.get(i).rate / reference.get(i).rate);
            Range cpuRatio = Range.of(all.size(), i -> all.get(i).cpu / reference.get(i).cpu);
            Range more = Range.of(all.size(), i -> all.get(i).cpu - reference.get(i).cpu);
            Range bytes = Range.of(all.size(), i -> all.get(i).bytes);
            Range moreOfServer = Range.of(all.size(), i -> all.get(i).server - reference.get(i).server);
            System.out.printf(Locale.ROOT, "| %s | %s | %,.0f/s | %s | %.2f us | %s | %s us more | Redis: %s us more |%s%n",
                    label,
                    name, rate.median(), rateRatio, cpu.median(), cpuRatio, more, moreOfServer,
                    isThisProcess() ? " " + bytes + " bytes |" : "");
            if (results != null) {
                results.add(label, name, rate.median(), rate.low(), rate.high(), rateRatio.median(), rateRatio.low(),
                        rateRatio.high(), cpu.median(), cpu.low(), cpu.high(), cpuRatio.median(), cpuRatio.low(),
                        cpuRatio.high());
            }
        });
    }

    private Turn turn(Contender contender) throws Exception {
        long spent = processorTime(measured), spentByServer = processorTime(server), allocated = allocated();
        long begin = System.nanoTime();
        long done = contender.run(begin + nanos);
        return new Turn(done * 1e9 / (System.nanoTime() - begin), (processorTime(measured) - spent) / 1e3 / done,
                (processorTime(server) - spentByServer) / 1e3 / done, (allocated() - allocated) / (double) done);
    }

    private boolean isThisProcess() {
        return measured.equals(ProcessHandle.current());
    }

    /** How many bytes all threads of this process have allocated. */
    private static long allocated() {
        return LongStream.of(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())).filter(bytes -> bytes > 0).sum();
    }

    private static long processorTime(ProcessHandle process) {
        return process == null ? 0 : process.info().totalCpuDuration().orElseThrow().toNanos();
    }

    /**
     * @param rate per second
     * @param cpu microseconds of processor time for each
     * @param server microseconds of the server's processor time for each
     * @param bytes that this process allocates for each
     */
    private record Turn(double rate, double cpu, double server, double bytes) {
    }
}
