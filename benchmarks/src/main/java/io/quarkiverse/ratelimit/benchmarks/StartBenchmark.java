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

/**
 * Measures the same small application without limits and with several, in turn: the time from the start of its process until
 * its first response, and processor time and memory of the process after it. On a busy machine only these two are worth
 * comparing.
 */
public final class StartBenchmark {

    private static final int ROUNDS = 10;
    private static final int WARM_UPS = 2;
    private static final byte[] REQUEST = "GET /quotes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);

    private StartBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            String hosts = "-Dquarkus.redis.hosts=" + redis.address();
            List<Variant> variants = List.of(new Variant("without limits", "plain"),
                    new Variant("SmallRye @RateLimit", "fault-tolerance"),
                    new Variant("store=memory", "limited", "-Dquarkus.rate-limit.store=memory"),
                    new Variant("store=redis with 1 policy", "limited", hosts),
                    new Variant("store=redis with 26 policies", "many", hosts));
            for (int round = -WARM_UPS; round < ROUNDS; round++) {
                for (Variant variant : variants) {
                    variant.start(round >= 0);
                }
            }
            Results results = new Results("start", "application", "ms", "ms_low", "ms_high", "cpu_ms", "cpu_ms_low",
                    "cpu_ms_high", "mb", "mb_low", "mb_high");
            variants.forEach(variant -> variant.print(results));
            results.write();
        }
    }

    /** One way to limit the application. */
    private static final class Variant {

        private final String name;
        private final List<String> command;
        private final List<Double> millis = new ArrayList<>();
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

        /** Resident memory. */
        private static double memory(long pid) throws IOException {
            return Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:")).findFirst()
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0).orElseThrow();
        }

        void print(Results results) {
            Range time = Range.of(ROUNDS, millis::get);
            Range cpu = Range.of(ROUNDS, processor::get);
            Range memory = Range.of(ROUNDS, megabytes::get);
            System.out.printf(Locale.ROOT,
                    "| %s | %.0f ms (%.0f to %.0f) | %.0f ms (%.0f to %.0f) | %.1f MB (%.1f to %.1f) |%n", name,
                    time.median(), time.low(), time.high(), cpu.median(), cpu.low(), cpu.high(), memory.median(), memory.low(),
                    memory.high());
            results.add(name, time.median(), time.low(), time.high(), cpu.median(), cpu.low(), cpu.high(),
                    memory.median(), memory.low(), memory.high());
        }
    }
}
