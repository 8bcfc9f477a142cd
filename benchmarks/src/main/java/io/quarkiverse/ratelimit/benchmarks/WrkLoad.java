package io.quarkiverse.ratelimit.benchmarks;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests of one caller to one application with {@code wrk}, a program in C, on one thread. */
final class WrkLoad {

    private static final Pattern REQUESTS = Pattern.compile("(\\d+) requests in");

    private final int port;
    private final int inFlight;

    WrkLoad(int port, int inFlight) {
        this.port = port;
        this.inFlight = inFlight;
    }

    static boolean isInstalled() {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> new File(folder, "wrk").canExecute());
    }

    /** Requests the path for whole seconds; every response must be a success. */
    Rounds.Contender of(String path) {
        return deadline -> {
            long seconds = Math.max(1, Math.round((deadline - System.nanoTime()) / (double) TimeUnit.SECONDS.toNanos(1)));
            return requests(run("wrk", "-t1", "-c" + inFlight, "-d" + seconds + "s", "-H", "X-Caller: caller",
                    "http://127.0.0.1:" + port + path));
        };
    }

    private static String run(String... command) throws IOException {
        Process wrk = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(wrk.getInputStream().readAllBytes());
    }

    private static long requests(String output) {
        Matcher requests = REQUESTS.matcher(output);
        if (!requests.find() || output.contains("Non-2xx")) {
            throw new IllegalStateException("wrk failed: " + output);
        }
        return Long.parseLong(requests.group(1));
    }
}
