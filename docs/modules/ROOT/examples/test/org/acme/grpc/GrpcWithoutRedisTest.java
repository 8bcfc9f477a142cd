package org.acme.grpc;

import static io.grpc.Status.Code.UNAVAILABLE;
import static org.acme.grpc.GrpcClient.ROME;
import static org.acme.grpc.GrpcClient.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Without Redis the application starts, and a policy that fails closed denies with {@code UNAVAILABLE}. */
@QuarkusTest
@TestProfile(ExampleProfile.RedisUnavailable.class)
class GrpcWithoutRedisTest {

    @TestHTTPResource
    URI server;

    @Test
    void callEndsWithUnavailable() {
        try (GrpcClient client = new GrpcClient(server.getPort())) {
            assertThat(assertFails(UNAVAILABLE, () -> client.probes().blocking(ROME)).getTrailers()
                    .get(GrpcClient.RETRY_AFTER)).isEqualTo("1");
        }
    }
}
