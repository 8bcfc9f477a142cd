package io.quarkiverse.ratelimit.deployment.devservices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

import org.jboss.logging.Logger;

import io.quarkus.bootstrap.util.IoUtils;
import io.quarkus.deployment.builditem.Startable;

/**
 * Runs a Redis server on the loopback interface. The server stores nothing on disk and ends with this JVM at the latest.
 */
final class LocalRedis implements Startable {

    private static final Logger LOG = Logger.getLogger(LocalRedis.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int ATTEMPTS = 3;

    private final String searchPath;
    private final OptionalInt fixedPort;
    private RedisExecutable executable;
    private TetheredProcess process;
    private int port;

    /**
     * @param searchPath where to look for a server, in the form of the environment variable {@code PATH}
     * @param fixedPort the port to listen on; a free port if empty
     */
    LocalRedis(String searchPath, OptionalInt fixedPort) {
        this.searchPath = searchPath;
        this.fixedPort = fixedPort;
    }

    @Override
    public void start() {
        for (int attempt = 1; process == null; attempt++) {
            try {
                port = fixedPort.isPresent() ? fixedPort.getAsInt() : freePort();
                process = startProcess();
            } catch (IOException e) {
                // another process may use the free port by now
                if (fixedPort.isPresent() || attempt == ATTEMPTS) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    void announce() {
        LOG.infof("Started a local Redis for the rate limits at %s: %s", getConnectionInfo(), executable);
    }

    private TetheredProcess startProcess() throws IOException {
        Path directory = Files.createTempDirectory("rate-limit-redis-");
        try {
            executable = RedisExecutable.find(searchPath, directory);
        } catch (IllegalStateException none) {
            IoUtils.recursiveDelete(directory);
            throw none;
        }
        TetheredProcess started = TetheredProcess.start(List.of(executable.path().toString(),
                "--bind", LOOPBACK, "--port", String.valueOf(port), "--save", "", "--appendonly", "no",
                "--dir", directory.toString()), directory, searchPath);
        BufferedReader output = new BufferedReader(new InputStreamReader(started.output(), StandardCharsets.UTF_8));
        try {
            awaitReady(output);
        } catch (IOException e) {
            started.close();
            throw e;
        }
        Thread logger = new Thread(() -> log(output), "local-redis-log");
        logger.setDaemon(true);
        logger.start();
        return started;
    }

    private static void log(BufferedReader output) {
        try {
            output.lines().forEach(LOG::debug);
        } catch (UncheckedIOException e) {
            LOG.debug("The local Redis for the rate limits was stopped.", e);
        }
    }

    private void awaitReady(BufferedReader output) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            seen.append(line).append(System.lineSeparator());
            if (line.contains("Ready to accept connections")) {
                return;
            }
        }
        throw new IOException("%s did not start at %s:%n%s".formatted(executable, getConnectionInfo(), seen));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            return socket.getLocalPort();
        }
    }

    @Override
    public String getConnectionInfo() {
        return "redis://" + LOOPBACK + ":" + port;
    }

    /**
     * Returns {@code null}, because there is no container.
     */
    @Override
    public String getContainerId() {
        return null;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
            process = null;
        }
    }
}
