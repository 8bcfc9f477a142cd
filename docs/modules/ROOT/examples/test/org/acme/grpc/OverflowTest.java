package org.acme.grpc;

import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static org.acme.grpc.GrpcClient.ROME;
import static org.acme.grpc.GrpcClient.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** A gRPC call that its policy denies is allowed by the overflow, and denied if that denies it, too. */
@QuarkusTest
@TestProfile(OverflowTest.OneMore.class)
class OverflowTest extends FreshLimits {

    private static final String DENIED = "Policy (forecasts|probes)-more is used up. Retry after .+";

    @TestHTTPResource
    URI server;

    @Test
    void thirdCallIsPaidByTheOverflow() {
        try (GrpcClient client = new GrpcClient(server.getPort())) {
            for (int call = 1; call <= 3; call++) {
                client.forecasts().today(ROME).await().indefinitely();
            }

            assertThat(assertFails(RESOURCE_EXHAUSTED, () -> client.forecasts().today(ROME).await().indefinitely()).getStatus()
                    .getDescription()).matches(DENIED);
        }
    }

    @Test
    void secondCallOfABlockingServiceIsPaidByTheOverflow() {
        try (GrpcClient client = new GrpcClient(server.getPort())) {
            client.probes().blocking(ROME);
            client.probes().blocking(ROME);

            assertThat(assertFails(RESOURCE_EXHAUSTED, () -> client.probes().blocking(ROME)).getStatus().getDescription())
                    .matches(DENIED);
        }
    }

    public static class OneMore implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            String policies = "quarkus.rate-limit.policies.";
            return Map.of(policies + "forecasts.overflow", "forecasts-more",
                    policies + "forecasts-more.permits", "1",
                    policies + "forecasts-more.period", "10s",
                    policies + "forecasts-more.key", "method,ip",
                    policies + "probes.overflow", "probes-more",
                    policies + "probes-more.permits", "1",
                    policies + "probes-more.period", "10s",
                    policies + "probes-more.key", "global");
        }
    }
}
