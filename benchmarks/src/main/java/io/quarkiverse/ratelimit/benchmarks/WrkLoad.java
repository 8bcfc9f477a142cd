package io.quarkiverse.ratelimit.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests of one or of 10 000 callers to one application with {@code wrk}, a program in C, on one thread. */
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
        return deadline -> run(path, deadline, "-H", "X-Caller: caller");
    }

    /** Does the same for 10 000 callers, one after the other. */
    Rounds.Contender ofManyCallers(String path) throws IOException {
        Path script = Files.createTempFile("callers", ".lua");
        script.toFile().deleteOnExit();
        Files.writeString(script, """
                local requests, n = {}, 0
                init = function()
                  for i = 1, 10000 do
                    requests[i] = wrk.format('GET', nil, { ['X-Caller'] = 'caller-' .. i })
                  end
                end
                request = function()
                  n = n % 10000 + 1
                  return requests[n]
                end
                """);
        return deadline -> run(path, deadline, "-s", script.toString());
    }

    private long run(String path, long deadline, String... options) throws IOException {
        long seconds = Math.max(1, Math.round((deadline - System.nanoTime()) / (double) TimeUnit.SECONDS.toNanos(1)));
        List<String> command = new ArrayList<>(List.of("wrk", "-t1", "-c" + inFlight, "-d" + seconds + "s"));
        command.addAll(List.of(options));
        command.add("http://127.0.0.1:" + port + path);
        return requests(run(command));
    }

    private static String run(List<String> command) throws IOException {
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
