package io.quarkiverse.ratelimit.it.instances;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The packaged application, running in a JVM of its own or as a native executable on a free port. */
final class Instance implements AutoCloseable {

    /** The system property that is set when the application is a native executable. */
    static final String NATIVE = "native";

    private static final Pattern LISTENING = Pattern.compile("Listening on: (http://[^ ]+)");
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final String address;
    private final StringBuffer log;

    private Instance(Process process, String address, StringBuffer log) {
        this.process = process;
        this.address = address;
        this.log = log;
    }

    static Instance start(int redis, String... options) throws Exception {
        boolean isNative = System.getProperty(NATIVE) != null;
        List<String> command = new ArrayList<>(List.of(isNative ? System.getProperty("native.image.path")
                : Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-Xmx128m", "-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0",
                "-Dquarkus.redis.hosts=redis://127.0.0.1:" + redis, "-Dquarkus.rate-limit.timeout=10s"));
        command.addAll(List.of(options));
        if (!isNative) {
            command.addAll(List.of("-jar", Path.of("target", "quarkus-app", "quarkus-run.jar").toString()));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        CompletableFuture<String> address = new CompletableFuture<>();
        StringBuffer log = new StringBuffer();
        Thread reader = new Thread(() -> read(process, address, log));
        reader.setDaemon(true);
        reader.start();
        try {
            return new Instance(process, address.get(60, TimeUnit.SECONDS), log);
        } catch (Exception e) {
            process.destroyForcibly();
            throw e;
        }
    }

    CompletableFuture<HttpResponse<String>> get(String path, String caller) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path)).header("Caller", caller).build();
        return HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Stops it as a platform does. Returns whether it stopped in time. */
    boolean stop(Duration atMost) throws Exception {
        // not the process itself, which would close the streams that its log is read from
        process.toHandle().destroy();
        return process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    String log() {
        return log.toString();
    }

    /** Kills it in the middle of its work. */
    void kill() throws Exception {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws Exception {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private static void read(Process process, CompletableFuture<String> address, StringBuffer log) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher listening = LISTENING.matcher(line);
                if (listening.find()) {
                    address.complete(listening.group(1));
                }
                log.append(line).append('\n');
            }
        } catch (IOException e) {
            log.append(e);
        }
        address.completeExceptionally(new IllegalStateException("The application did not start:\n" + log));
    }
}
