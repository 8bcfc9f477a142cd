package io.quarkiverse.ratelimit.deployment.devservices;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkus.bootstrap.util.IoUtils;

/**
 * Runs a child process with its own directory. Closing it ends the process and removes the directory. The end of this JVM
 * does the same, even if the JVM is killed.
 * <p>
 * A killed JVM runs no shutdown hook. So a small shell runs next to the child and waits for the end of its standard input.
 * This input is a pipe, and the operating system closes it when the JVM ends. If {@code setsid} is available, the shell and
 * the child run in their own session. So Ctrl-C or a signal to the JVM's process group does not end the child before the
 * application stops. Windows has only the shutdown hook.
 */
abstract sealed class TetheredProcess implements Closeable {

    final Process process;

    private TetheredProcess(List<String> command) throws IOException {
        this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /**
     * Starts a process without input. The caller must read its output.
     *
     * @param directory the directory of the child, removed at the end
     * @param searchPath where to look for {@code setsid}
     */
    static TetheredProcess start(List<String> command, Path directory, String searchPath) throws IOException {
        return File.separatorChar == '/' ? new ByShell(command, directory, searchPath) : new ByShutdownHook(command, directory);
    }

    /** Returns the standard output and error of the process in one stream, which ends with the process. */
    InputStream output() {
        return process.getInputStream();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class ByShell extends TetheredProcess {

        private static final String SCRIPT = """
                directory=$1
                shift
                exec 3<&0
                { trap '' INT HUP TERM; read -r end; kill -KILL $$; rm -rf "$directory"; } <&3 >/dev/null 2>&1 &
                exec "$@" 3<&- </dev/null
                """;

        ByShell(List<String> command, Path directory, String searchPath) throws IOException {
            super(underShell(command, directory, searchPath));
        }

        private static List<String> underShell(List<String> command, Path directory, String searchPath) {
            List<String> shell = new ArrayList<>();
            RedisExecutable.onPath(searchPath, "setsid").stream().limit(1).map(Path::toString).forEach(shell::add);
            shell.addAll(List.of("/bin/sh", "-c", SCRIPT, "sh", directory.toString()));
            shell.addAll(command);
            return shell;
        }
    }

    private static final class ByShutdownHook extends TetheredProcess {

        private final Path directory;
        private final Thread hook = new Thread(this::end, "tethered-process-end");

        ByShutdownHook(List<String> command, Path directory) throws IOException {
            super(command);
            this.directory = directory;
            Runtime.getRuntime().addShutdownHook(hook);
        }

        @Override
        public void close() {
            end();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException shuttingDown) {
                // the hook calls end() again
            }
        }

        private void end() {
            super.close();
            IoUtils.recursiveDelete(directory);
        }
    }
}
