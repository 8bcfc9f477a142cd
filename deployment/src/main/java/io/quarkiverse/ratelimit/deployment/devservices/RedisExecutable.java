package io.quarkiverse.ratelimit.deployment.devservices;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import redis.embedded.core.ExecutableProvider;

/**
 * Finds a Redis or Valkey server binary that runs on this machine and is new enough for the limiter's scripts.
 */
record RedisExecutable(Path path, String version, boolean embedded) {

    private static final List<String> NAMES = List.of("redis-server", "valkey-server");

    // Lua's %d is 32 bits wide on a 32-bit server, too narrow for times in microseconds
    private static final Pattern VERSION = Pattern.compile("\\bv=((\\d+)\\.(\\d+)\\S*).*\\bbits=64\\b");

    /**
     * Returns the first usable server on the search path. If there is none, returns the embedded server, unpacked to the given
     * directory.
     *
     * @throws IllegalStateException if neither runs on this machine; the message gives the remedy
     */
    static RedisExecutable find(String searchPath, Path unpackInto) {
        for (String name : NAMES) {
            for (Path path : onPath(searchPath, name)) {
                Optional<String> version = usableVersion(path);
                if (version.isPresent()) {
                    return new RedisExecutable(path, version.get(), false);
                }
            }
        }
        return embedded(unpackInto).orElseThrow(() -> new IllegalStateException("""
                No Redis could be started for the rate limits: quarkus.redis.hosts is not set, Redis' own Dev Service is not \
                available, there is no redis-server or valkey-server 6.2 or newer (64 bit) on the PATH, and the embedded one \
                does not run on this machine (%s, %s). Install redis-server, start a container runtime such as Docker or \
                Podman, set quarkus.redis.hosts, or count in memory with quarkus.rate-limit.store=memory.""".formatted(
                System.getProperty("os.name"), System.getProperty("os.arch"))));
    }

    static List<Path> onPath(String searchPath, String name) {
        String file = File.separatorChar == '\\' ? name + ".exe" : name;
        return Pattern.compile(Pattern.quote(File.pathSeparator)).splitAsStream(searchPath)
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory, file))
                .filter(path -> Files.isRegularFile(path) && Files.isExecutable(path))
                .toList();
    }

    private static Optional<RedisExecutable> embedded(Path directory) {
        try {
            Path path = ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath();
            return usableVersion(path).map(version -> new RedisExecutable(path, version, true));
        } catch (IOException | RuntimeException unsupported) {
            return Optional.empty();
        }
    }

    private static Optional<String> usableVersion(Path path) {
        try {
            Process process = new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.empty();
            }
            Matcher version = VERSION.matcher(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            return version.find() && isNewEnough(Integer.parseInt(version.group(2)), Integer.parseInt(version.group(3)))
                    ? Optional.of(version.group(1))
                    : Optional.empty();
        } catch (IOException notExecutable) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static boolean isNewEnough(int major, int minor) {
        return major > 6 || major == 6 && minor >= 2;
    }

    @Override
    public String toString() {
        return embedded ? "embedded redis-server " + version : path + " " + version;
    }
}
