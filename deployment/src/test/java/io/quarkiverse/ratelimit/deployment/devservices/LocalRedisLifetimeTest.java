package io.quarkiverse.ratelimit.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalRedisLifetimeTest {

    private static final String PATH = System.getenv().getOrDefault("PATH", "");

    @TempDir
    Path temporary;

    @Test
    void closeEndsIt() {
        LocalRedis redis = new LocalRedis(PATH, OptionalInt.empty());
        redis.start();
        URI address = URI.create(redis.getConnectionInfo());
        assertThat(accepts(address)).isTrue();

        redis.close();

        assertThat(accepts(address)).isFalse();
    }

    @Test
    void startsAgainAfterClose() {
        LocalRedis redis = new LocalRedis(PATH, OptionalInt.empty());
        redis.start();
        redis.close();

        redis.start();

        assertThat(accepts(URI.create(redis.getConnectionInfo()))).isTrue();
        redis.close();
    }

    @Test
    void usedFixedPortIsReported() throws IOException {
        try (ServerSocket acquired = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            LocalRedis redis = new LocalRedis(PATH, OptionalInt.of(acquired.getLocalPort()));

            assertThatThrownBy(redis::start)
                    .hasMessageContaining("did not start at redis://127.0.0.1:" + acquired.getLocalPort())
                    .hasMessageContaining("Address already in use");
        }
    }

    @Test
    void itStopsWithTheJvm() throws Exception {
        Process jvm = startInAnotherJvm(PATH);
        URI address = readAddress(jvm);
        assertThat(accepts(address)).isTrue();

        jvm.getOutputStream().close();

        assertThat(jvm.waitFor(10, TimeUnit.SECONDS)).isTrue();
        await().until(() -> !accepts(address));
        await().untilAsserted(() -> assertThat(temporary).isEmptyDirectory());
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    @DisabledOnOs(OS.WINDOWS)
    void itStopsWithAKilledJvm(boolean withSetsid) throws Exception {
        Process jvm = startInAnotherJvm(withSetsid ? PATH : temporary.toString());
        URI address = readAddress(jvm);
        assertThat(accepts(address)).isTrue();

        jvm.destroyForcibly();

        await().until(() -> !accepts(address));
        await().untilAsserted(() -> assertThat(temporary).isEmptyDirectory());
    }

    private Process startInAnotherJvm(String searchPath) throws IOException {
        return new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary, "-cp", System.getProperty("java.class.path"), Main.class.getName(),
                searchPath))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static URI readAddress(Process jvm) throws IOException {
        return URI.create(jvm.inputReader().readLine());
    }

    static boolean accepts(URI address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.getHost(), address.getPort()), 1000);
            return true;
        } catch (IOException denied) {
            return false;
        }
    }

    /**
     * Starts a Redis, writes its address and ends with its input.
     */
    static final class Main {

        public static void main(String[] args) throws IOException {
            PrintStream out = System.out;
            LocalRedis redis = new LocalRedis(args[0], OptionalInt.empty());
            redis.start();
            out.println(redis.getConnectionInfo());
            System.in.read();
        }
    }
}
