package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sends requests of 10 000 callers to one path by a clock, with {@code h2load}, a program in C, on one thread. */
final class H2Load {

    /** Few, as the first requests of all of them leave together, and so do the next ones. */
    private static final int CONNECTIONS = 16;
    private static final int CALLERS = 10_000;

    private final int port;
    private final Path callers, log;

    H2Load(int port, String path) throws IOException {
        this.port = port;
        callers = Files.createTempFile("callers", ".txt");
        log = Files.createTempFile("latencies", ".tsv");
        callers.toFile().deleteOnExit();
        log.toFile().deleteOnExit();
        Files.write(callers, IntStream.range(0, CALLERS)
                .mapToObj(caller -> "http://127.0.0.1:" + port + path + "?caller=" + caller).toList());
    }

    /**
     * Sends requests for some seconds, as many per second on each connection.
     *
     * @return the milliseconds until the end of each response, sorted
     */
    double[] latencies(double perSecond, int seconds) throws IOException, InterruptedException {
        // h2load appends to it
        Files.write(log, new byte[0]);
        Process process = new ProcessBuilder("h2load", "--h1", "-t1", "-c" + CONNECTIONS, "-D" + seconds,
                "--rps=" + perSecond / CONNECTIONS, "-i", callers.toString(), "--log-file=" + log).redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException("h2load failed: " + output);
        }
        try (Stream<String> lines = Files.lines(log)) {
            return lines.map(line -> List.of(line.split("\t"))).mapToDouble(columns -> {
                if (!columns.get(1).equals("200")) {
                    throw new IllegalStateException("port " + port + " responded with " + columns.get(1));
                }
                return Long.parseLong(columns.get(2)) / 1e3;
            }).sorted().toArray();
        }
    }
}
