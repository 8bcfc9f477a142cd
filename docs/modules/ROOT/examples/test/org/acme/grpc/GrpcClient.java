package org.acme.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;

/** Calls the services of this application over a connection of its own. */
final class GrpcClient implements AutoCloseable {

    static final Metadata.Key<String> RETRY_AFTER = key("retry-after");
    static final Place ROME = Place.newBuilder().setName("Rome").build();

    final ManagedChannel channel;

    GrpcClient(int port) {
        channel = ManagedChannelBuilder.forAddress("localhost", port).usePlaintext().build();
    }

    MutinyForecastsGrpc.MutinyForecastsStub forecasts() {
        return MutinyForecastsGrpc.newMutinyStub(channel);
    }

    ProbesGrpc.ProbesBlockingStub probes() {
        return ProbesGrpc.newBlockingStub(channel);
    }

    CallersGrpc.CallersBlockingStub callers() {
        return CallersGrpc.newBlockingStub(channel);
    }

    CallersGrpc.CallersBlockingStub callers(String header, String value) {
        Metadata metadata = new Metadata();
        metadata.put(key(header), value);
        return callers().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata));
    }

    static StatusRuntimeException assertFails(Status.Code status, ThrowingCallable call) {
        StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class, call);
        assertThat(failure).isNotNull();
        assertThat(failure.getStatus().getCode()).isEqualTo(status);
        return failure;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
