package io.quarkiverse.ratelimit.test.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import jakarta.ws.rs.GET;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.FreePort;
import io.quarkiverse.ratelimit.test.path.fixtures.ExecutedTypes;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusProdModeTest;
import io.smallrye.common.annotation.NonBlocking;
import redis.embedded.RedisServer;

/** {@code CONTRIBUTING.md} lists the files that an allowed call executes, no more and no fewer. */
class PathOfARequestTest {

    private static final Path CONTRIBUTING = Path.of("../CONTRIBUTING.md");
    private static final Path SOURCES = Path.of("../runtime/src/main/java");
    private static final String RUNTIME = "io.quarkiverse.ratelimit.runtime.";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| `([\\w.]+)` \\|");
    private static final Pattern HEAD = Pattern.compile("executes these (\\d+) files, with about (\\d+)\\s+lines");
    /** Few enough that a debugger, which keeps 10 000 events at most, does not stop the application. */
    private static final int CALLS = 20;
    /** A slow machine runs a periodic task during many of the calls. */
    private static final int MOST = 19;

    private static final int HTTP_PORT = FreePort.any();
    private static final int REDIS_PORT = FreePort.any();
    private static final int DEBUGGER_PORT = FreePort.any();
    private static final RedisServer REDIS = startedRedis();

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .setForcedDependencies(List.of(Dependency.of("io.quarkus", "quarkus-rest-deployment", Version.getVersion())))
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .overrideConfigKey("quarkus.rate-limit.policies.ip.permits", "1000000")
            .overrideConfigKey("quarkus.rate-limit.policies.ip.period", "1s")
            .overrideConfigKey("quarkus.rate-limit.policies.ip.key", "ip")
            .setRuntimeProperties(Map.of("quarkus.http.port", Integer.toString(HTTP_PORT),
                    "quarkus.redis.hosts", "redis://127.0.0.1:" + REDIS_PORT,
                    // a debugger slows each call down
                    "quarkus.rate-limit.timeout", "20s"))
            .setJVMArgs(List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:" + DEBUGGER_PORT))
            .setRun(true);

    private final String text = Files.readString(CONTRIBUTING);

    PathOfARequestTest() throws IOException {
    }

    @AfterAll
    static void stopRedis() throws IOException {
        REDIS.stop();
    }

    @Test
    void executedFilesAreListed() throws Exception {
        assertThat(listed()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(executed());
    }

    @Test
    void headHasTheNumberOfFilesAndLines() throws IOException {
        MatchResult head = HEAD.matcher(text).results().findFirst().orElseThrow();
        long lines = 0;
        for (String file : listed()) {
            lines += Files.readAllLines(source(RUNTIME + file)).size();
        }

        assertThat(listed()).hasSize(Integer.parseInt(head.group(1)));
        assertThat(Long.parseLong(head.group(2))).isBetween(lines * 9 / 10, lines * 11 / 10);
    }

    private List<String> listed() {
        return ROW.matcher(text).results().map(row -> row.group(2)).toList();
    }

    /** In nearly all of the calls. */
    private static Set<String> executed() throws Exception {
        call();
        Map<String, Integer> calls = new TreeMap<>();
        try (ExecutedTypes types = new ExecutedTypes(DEBUGGER_PORT, "io.quarkiverse.ratelimit")) {
            call();
            types.betweenRunsOf("marker").forEach(executed -> executed.stream().filter(type -> Files.exists(source(type)))
                    .forEach(type -> calls.merge(type, 1, Integer::sum)));
        }
        Set<String> usual = new TreeSet<>();
        calls.forEach((type, count) -> {
            if (count >= MOST) {
                usual.add(type.replace(RUNTIME, ""));
            }
        });
        return usual;
    }

    /** Calls one after the other on one connection, without a pause in which periodic tasks would run. */
    private static void call() throws IOException {
        String requests = (request("marker") + request("limited")).repeat(CALLS) + request("marker")
                .replace("Host", "Connection: close\r\nHost");
        try (Socket socket = new Socket("127.0.0.1", HTTP_PORT)) {
            socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
            String responses = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(responses.split("HTTP/1.1 200", -1)).hasSize(2 * CALLS + 2);
        }
    }

    private static String request(String path) {
        return "GET /" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    private static Path source(String type) {
        return SOURCES.resolve(type.replace('.', '/') + ".java");
    }

    private static RedisServer startedRedis() {
        try {
            RedisServer server = RedisServer.newRedisServer().port(REDIS_PORT).bind("127.0.0.1").setting("save \"\"").build();
            server.start();
            return server;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @jakarta.ws.rs.Path("/")
    public static class Resource {

        @GET
        @jakarta.ws.rs.Path("marker")
        @NonBlocking
        public String marker() {
            return "ok";
        }

        @GET
        @jakarta.ws.rs.Path("limited")
        @NonBlocking
        @RateLimited("ip")
        public String limited() {
            return "ok";
        }
    }
}
