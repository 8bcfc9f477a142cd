package org.acme.grpc;

import static io.grpc.Status.Code.RESOURCE_EXHAUSTED;
import static io.grpc.Status.Code.UNKNOWN;
import static org.acme.grpc.GrpcClient.ROME;
import static org.acme.grpc.GrpcClient.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

import org.acme.FreshLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.grpc.StatusRuntimeException;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;

/** Denied gRPC calls end with {@code RESOURCE_EXHAUSTED}, whatever streams. */
@QuarkusTest
class GrpcTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    GrpcClient client;
    MutinyForecastsGrpc.MutinyForecastsStub forecasts;

    @BeforeEach
    void connect() {
        client = new GrpcClient(server.getPort());
        forecasts = client.forecasts();
    }

    @AfterEach
    void disconnect() {
        client.close();
    }

    @Test
    void thirdCallEndsWithResourceExhausted() {
        for (int call = 1; call <= 2; call++) {
            assertThat(forecasts.today(ROME).await().indefinitely().getWeather()).isEqualTo("sunny in Rome");
        }

        StatusRuntimeException denial = assertFails(RESOURCE_EXHAUSTED, () -> forecasts.today(ROME).await().indefinitely());
        assertThat(denial.getStatus().getDescription()).startsWith("Policy forecasts is used up. Retry after ");
        assertThat(Integer.parseInt(denial.getTrailers().get(GrpcClient.RETRY_AFTER))).isBetween(10, 30);
    }

    @Test
    void streamsAreCountedOnceEach() {
        for (int call = 1; call <= 2; call++) {
            assertThat(forecasts.follow(ROME).collect().asList().await().indefinitely()).hasSize(3);
        }

        assertFails(RESOURCE_EXHAUSTED, () -> forecasts.follow(ROME).collect().asList().await().indefinitely());
    }

    @Test
    void streamsOfTheClientAreCountedOnceEach() {
        for (int call = 1; call <= 2; call++) {
            forecasts.mean(Multi.createFrom().items(ROME, ROME, ROME)).await().indefinitely();
        }

        assertFails(RESOURCE_EXHAUSTED, () -> forecasts.mean(Multi.createFrom().items(ROME)).await().indefinitely());
    }

    @Test
    void streamsInBothDirectionsAreCountedOnceEach() {
        for (int call = 1; call <= 2; call++) {
            assertThat(forecasts.tour(Multi.createFrom().items(ROME, ROME, ROME)).collect().asList().await().indefinitely())
                    .hasSize(3);
        }

        assertFails(RESOURCE_EXHAUSTED,
                () -> forecasts.tour(Multi.createFrom().items(ROME)).collect().asList().await().indefinitely());
    }

    @Test
    void callsOfABlockingServiceAreDeniedAlike() {
        client.probes().blocking(ROME);

        StatusRuntimeException denial = assertFails(RESOURCE_EXHAUSTED, () -> client.probes().blocking(ROME));
        assertThat(Integer.parseInt(denial.getTrailers().get(GrpcClient.RETRY_AFTER))).isBetween(40, 60);
    }

    @Test
    void denialInsideTheExceptionOfAFutureEndsAlike() {
        client.probes().joining(ROME);

        StatusRuntimeException denial = assertFails(RESOURCE_EXHAUSTED, () -> client.probes().joining(ROME));
        assertThat(Integer.parseInt(denial.getTrailers().get(GrpcClient.RETRY_AFTER))).isBetween(40, 60);
    }

    @Test
    void otherFailuresKeepTheirStatus() {
        StatusRuntimeException failure = assertFails(UNKNOWN, () -> client.probes().broken(ROME));
        assertThat(failure.getTrailers().containsKey(GrpcClient.RETRY_AFTER)).isFalse();
    }

    @Test
    void callersAreCountedByTheirAddress() {
        client.callers().ofAddress(ROME);
        assertFails(RESOURCE_EXHAUSTED, () -> client.callers().ofAddress(ROME));

        assertThat(redis.key().keys("*[^:]?")).hasSize(1).allMatch(key -> key.contains("127.0.0.1"));
    }

    @Test
    void callersAreCountedByAFieldOfTheMessage() {
        client.callers().ofMessage(ROME);
        assertFails(RESOURCE_EXHAUSTED, () -> client.callers().ofMessage(ROME));

        client.callers().ofMessage(Place.newBuilder().setName("Paris").build());
    }

    @Test
    void waitsHaveJitter() {
        client.callers().ofMessage(ROME);
        Set<Integer> waits = new HashSet<>();

        for (int call = 1; call <= 5; call++) {
            StatusRuntimeException denial = assertFails(RESOURCE_EXHAUSTED, () -> client.callers().ofMessage(ROME));
            waits.add(Integer.valueOf(denial.getTrailers().get(GrpcClient.RETRY_AFTER)));
        }
        assertThat(waits).hasSizeGreaterThan(3).allMatch(wait -> wait >= 1 && wait <= 86_460);
    }

    @Test
    void fieldOfTheMessageBelongsToTheKeyOfItsPolicyOnly() {
        client.callers().ofMessage(ROME);
        client.callers().ofMessage(Place.newBuilder().setName("Paris").build());

        assertFails(RESOURCE_EXHAUSTED, () -> client.callers().ofMessage(Place.newBuilder().setName("Oslo").build()));
    }

    @Test
    void callersAreCountedByTheirMetadata() {
        client.callers("x-client", "a").ofMetadata(ROME);
        assertFails(RESOURCE_EXHAUSTED, () -> client.callers("x-client", "a").ofMetadata(ROME));

        client.callers("x-client", "b").ofMetadata(ROME);
    }

    @Test
    void callersAreCountedByTheirName() {
        client.callers("authorization", basic("alice")).ofPrincipal(ROME);
        assertFails(RESOURCE_EXHAUSTED, () -> client.callers("authorization", basic("alice")).ofPrincipal(ROME));

        client.callers("authorization", basic("bob")).ofPrincipal(ROME);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes());
    }
}
