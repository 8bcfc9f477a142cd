package io.quarkiverse.ratelimit.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the same small application without limits, with one {@code INCR} in Redis per request, with SmallRye's limiter, and
 * with limits, in turn: the time from the start of its process until its first response, in what time it says that it has
 * started, and processor time and memory of the process after the response. Compares them in each round. On a busy machine,
 * distrust the time.
 */
public final class StartBenchmark {

    private static final int ROUNDS = 15;
    private static final int WARM_UPS = 2;
    private static final int MORE_POLICIES = 25;
    private static final Pattern STARTED = Pattern.compile("started in ([0-9.]+)s");
    private static final byte[] REQUEST = "GET /quotes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);

    private StartBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            String inRedis = "-Dquarkus.redis.hosts=" + redis.address();
            String inMemory = "-Dquarkus.rate-limit.store=memory";
            Variant plain = new Variant("without limits", "plain");
            Variant increment = new Variant("one INCR per request", "increment", inRedis);
            Variant smallRye = new Variant("SmallRye @RateLimit", "fault-tolerance");
            Variant memory = new Variant("store=memory with 1 policy", "limited", inMemory);
            Variant memory26 = new Variant("store=memory with 26 policies", "many", inMemory);
            Variant redis1 = new Variant("store=redis with 1 policy", "limited", inRedis);
            Variant redis26 = new Variant("store=redis with 26 policies", "many", inRedis);
            List<Variant> variants = List.of(plain, increment, smallRye, memory, memory26, redis1, redis26);
            for (int round = -WARM_UPS; round < ROUNDS; round++) {
                for (Variant variant : variants) {
                    variant.start(round >= 0);
                }
            }
            Results results = new Results("start", "application", "ms", "ms_low", "ms_high", "started_ms",
                    "started_ms_low", "started_ms_high", "cpu_ms", "cpu_ms_low", "cpu_ms_high", "mb", "mb_low", "mb_high");
            variants.forEach(variant -> variant.print(results));
            List.of(increment, smallRye, memory, redis1, redis26).forEach(variant -> variant.printRatio(plain, results));
            redis1.printRatio(increment, results);
            memory.printRatio(smallRye, results);
            memory.printDifference(smallRye, 1, results);
            memory26.printDifference(memory, MORE_POLICIES, results);
            redis26.printDifference(redis1, MORE_POLICIES, results);
            results.write();
        }
    }

    /** One way to limit the application. */
    private static final class Variant {

        private final String name;
        private final List<String> command;
        private final List<Double> millis = new ArrayList<>();
        private final List<Double> started = new ArrayList<>();
        private final List<Double> processor = new ArrayList<>();
        private final List<Double> megabytes = new ArrayList<>();

        Variant(String name, String module, String... options) {
            this.name = name;
            command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                    "-Dquarkus.http.host=127.0.0.1"));
            command.addAll(List.of(options));
            command.addAll(List.of("-jar", Path.of("start", module, "target", "quarkus-app", "quarkus-run.jar").toString()));
        }

        void start(boolean counts) throws Exception {
            int port = Application.freePort();
            List<String> all = new ArrayList<>(command);
            all.add(1, "-Dquarkus.http.port=" + port);
            File log = new File("target", "start.log");
            long begin = System.nanoTime();
            Process process = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log).start();
            try {
                awaitResponse(process, port, log);
                double taken = (System.nanoTime() - begin) / 1e6;
                if (counts) {
                    millis.add(taken);
                    processor.add(process.info().totalCpuDuration().orElseThrow().toNanos() / 1e6);
                    megabytes.add(memory(process.pid()));
                }
            } finally {
                process.destroy();
                process.waitFor();
            }
            if (counts) {
                started.add(started(log));
            }
        }

        private static void awaitResponse(Process process, int port, File log) throws Exception {
            while (process.isAlive()) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    socket.getOutputStream().write(REQUEST);
                    String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                    if (response.startsWith("HTTP/1.1 200")) {
                        return;
                    }
                } catch (IOException notYet) {
                    Thread.sleep(2);
                }
            }
            throw new IllegalStateException("The application did not start, see " + log);
        }

        /** Returns the milliseconds until the application began to accept requests, as it says itself. */
        private static double started(File log) throws IOException {
            Matcher started = STARTED.matcher(Files.readString(log.toPath()));
            if (!started.find()) {
                throw new IllegalStateException("The application does not say when it has started, see " + log);
            }
            return 1_000 * Double.parseDouble(started.group(1));
        }

        /** Resident memory. */
        private static double memory(long pid) throws IOException {
            return Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:")).findFirst()
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0).orElseThrow();
        }

        void print(Results results) {
            print(name, millis::get, started::get, processor::get, megabytes::get, results);
        }

        void printRatio(Variant other, Results results) {
            print(name + " to " + other.name, round -> millis.get(round) / other.millis.get(round),
                    round -> started.get(round) / other.started.get(round),
                    round -> processor.get(round) / other.processor.get(round),
                    round -> megabytes.get(round) / other.megabytes.get(round), results);
        }

        /** @param policies the number of policies that cause the difference */
        void printDifference(Variant other, int policies, Results results) {
            print(name + " minus " + other.name + (policies == 1 ? "" : " per policy"),
                    round -> (millis.get(round) - other.millis.get(round)) / policies,
                    round -> (started.get(round) - other.started.get(round)) / policies,
                    round -> (processor.get(round) - other.processor.get(round)) / policies,
                    round -> (megabytes.get(round) - other.megabytes.get(round)) / policies, results);
        }

        private static void print(String row, IntToDoubleFunction millis, IntToDoubleFunction started,
                IntToDoubleFunction processor, IntToDoubleFunction megabytes, Results results) {
            Range time = Range.of(ROUNDS, millis);
            Range began = Range.of(ROUNDS, started);
            Range cpu = Range.of(ROUNDS, processor);
            Range memory = Range.of(ROUNDS, megabytes);
            System.out.printf(Locale.ROOT, "| %s | %s | %s | %s | %s |%n", row, time, began, cpu, memory);
            results.add(row, time.median(), time.low(), time.high(), began.median(), began.low(), began.high(), cpu.median(),
                    cpu.low(), cpu.high(),
                    memory.median(), memory.low(), memory.high());
        }
    }
}
