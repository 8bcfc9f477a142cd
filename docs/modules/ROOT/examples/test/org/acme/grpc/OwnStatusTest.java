package org.acme.grpc;

import static io.grpc.Status.Code.ABORTED;
import static org.acme.grpc.GrpcClient.ROME;
import static org.acme.grpc.GrpcClient.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;

import org.acme.ExampleProfile;
import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.grpc.ExceptionHandler;
import io.quarkus.grpc.ExceptionHandlerProvider;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** An application's own handler of exceptions determines the status. */
@QuarkusTest
@TestProfile(ExampleProfile.OwnResponses.class)
public class OwnStatusTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Test
    void denialsHaveTheStatusOfTheApplication() {
        try (GrpcClient client = new GrpcClient(server.getPort())) {
            for (int call = 1; call <= 2; call++) {
                client.forecasts().today(ROME).await().indefinitely();
            }
            client.probes().blocking(ROME);

            assertThat(assertFails(ABORTED, () -> client.forecasts().today(ROME).await().indefinitely()).getTrailers()
                    .containsKey(GrpcClient.RETRY_AFTER)).isFalse();
            assertFails(ABORTED, () -> client.probes().blocking(ROME));
        }
    }

    @Alternative
    @ApplicationScoped
    public static class Aborting implements ExceptionHandlerProvider {

        @Override
        public <Q, A> ExceptionHandler<Q, A> createHandler(ServerCall.Listener<Q> listener, ServerCall<Q, A> call,
                Metadata metadata) {
            return new ExceptionHandler<>(listener, call, metadata) {
                @Override
                protected void handleException(Throwable failure, ServerCall<Q, A> call, Metadata metadata) {
                    call.close(ExceptionHandlerProvider.toStatus(transform(failure)), new Metadata());
                }
            };
        }

        @Override
        public Throwable transform(Throwable failure) {
            return failure instanceof RateLimitExceededException
                    ? Status.ABORTED.withCause(failure).asException()
                    : ExceptionHandlerProvider.toStatusException(failure, false);
        }
    }
}
