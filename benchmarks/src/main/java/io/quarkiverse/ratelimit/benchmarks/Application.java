package io.quarkiverse.ratelimit.benchmarks;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The packaged application in a process of its own. */
final class Application implements AutoCloseable {

    private final Process process;
    private final int port;

    private Application(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Returns when it accepts connections.
     *
     * @param name of its log in {@code target}
     * @param redisPort where its Redis is, or is not
     * @param options of its virtual machine
     */
    static Application start(String name, int redisPort, String... options) throws IOException, InterruptedException {
        int port = freePort();
        File log = new File("target", name + ".log");
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                "-Dquarkus.http.port=" + port, "-Dquarkus.redis.hosts=redis://127.0.0.1:" + redisPort));
        command.addAll(List.of(options));
        command.addAll(List.of("-jar", Path.of("target", "quarkus-app", "quarkus-run.jar").toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        for (int attempt = 0; attempt < 200 && process.isAlive(); attempt++) {
            try (Socket ignored = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return new Application(process, port);
            } catch (IOException notYet) {
                Thread.sleep(100);
            }
        }
        process.destroy();
        throw new IllegalStateException("The application did not start, see " + log);
    }

    int port() {
        return port;
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }
}
