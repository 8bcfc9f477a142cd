package org.acme.grpc;

import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static org.acme.grpc.GrpcClient.ROME;
import static org.acme.grpc.GrpcClient.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.Map;

import org.acme.FreshLimits;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** A separate gRPC server denies alike, but has no HTTP request to read key parts from. */
@QuarkusTest
@TestProfile(SeparateServerTest.SeparateServer.class)
class SeparateServerTest extends FreshLimits {

    @ConfigProperty(name = "quarkus.grpc.server.test-port")
    int port;

    @Test
    void thirdCallEndsWithResourceExhausted() {
        try (GrpcClient client = new GrpcClient(port)) {
            for (int call = 1; call <= 2; call++) {
                client.forecasts().today(ROME).await().indefinitely();
            }

            assertFails(RESOURCE_EXHAUSTED, () -> client.forecasts().today(ROME).await().indefinitely());
        }
    }

    @Test
    void keyPartsAreMissing() {
        try (GrpcClient client = new GrpcClient(port)) {
            assertThat(assertFails(RESOURCE_EXHAUSTED, () -> client.callers().ofAddress(ROME)).getTrailers()
                    .containsKey(GrpcClient.RETRY_AFTER)).isFalse();
            assertFails(RESOURCE_EXHAUSTED, () -> client.callers("x-client", "a").ofMetadata(ROME));
        }
    }

    public static class SeparateServer implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            try (ServerSocket free = new ServerSocket(0)) {
                return Map.of("quarkus.grpc.server.use-separate-server", "true",
                        "quarkus.grpc.server.test-port", Integer.toString(free.getLocalPort()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
