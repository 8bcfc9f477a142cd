package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;

/** A Kafka broker in the JVM of the tests. */
public class KafkaBroker implements QuarkusTestResourceLifecycleManager {

    private KafkaRaftServer server;

    @Override
    public Map<String, String> start() {
        try {
            int port = freePort();
            Properties settings = settings(port, freePort(), Files.createTempDirectory(Path.of("target"), "kafka"));
            Path file = Files.createTempFile(Path.of("target"), "kafka", ".properties");
            try (Writer writer = Files.newBufferedWriter(file)) {
                settings.store(writer, null);
            }
            assertThat(StorageTool.execute(new String[] { "format", "--config", file.toString(), "--cluster-id",
                    Uuid.randomUuid().toString() }, new PrintStream(PrintStream.nullOutputStream()))).isZero();
            server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
            server.startup();
            return Map.of("kafka.bootstrap.servers", "localhost:" + port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Properties settings(int broker, int controller, Path directory) {
        Properties settings = new Properties();
        settings.putAll(Map.of(
                "process.roles", "broker,controller",
                "node.id", "1",
                "controller.quorum.voters", "1@localhost:" + controller,
                "listeners", "PLAINTEXT://localhost:" + broker + ",CONTROLLER://localhost:" + controller,
                "controller.listener.names", "CONTROLLER",
                "log.dirs", directory.toString(),
                "offsets.topic.replication.factor", "1",
                "offsets.topic.num.partitions", "1",
                "group.initial.rebalance.delay.ms", "0"));
        return settings;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void stop() {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
        }
    }
}
