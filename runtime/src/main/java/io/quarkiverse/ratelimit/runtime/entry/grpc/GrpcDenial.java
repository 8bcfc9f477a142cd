package io.quarkiverse.ratelimit.runtime.entry.grpc;

import jakarta.enterprise.inject.spi.Prioritized;
import jakarta.inject.Singleton;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.quarkus.grpc.GlobalInterceptor;

/**
 * Sets the gRPC status of calls that a limit denied. It wraps Quarkus' exception handling and changes only a status
 * that is still unknown, so that an application's own {@code ExceptionHandlerProvider} takes precedence.
 */
@Singleton
@GlobalInterceptor
public class GrpcDenial implements ServerInterceptor, Prioritized {

    /** Outside of Quarkus' exception handling, which has {@code MAX_VALUE - 70}, and inside of its threads and contexts. */
    private static final int PRIORITY = Integer.MAX_VALUE - 65;

    private static final Metadata.Key<String> RETRY_AFTER = Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public int getPriority() {
        return PRIORITY;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(new SimpleForwardingServerCall<>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
                RateLimitException exception = status.getCode() == Status.Code.UNKNOWN ? Denial.in(status.getCause()) : null;
                if (exception != null) {
                    Denial denial = Denial.of(exception);
                    if (denial.retryAfter() != null) {
                        trailers.put(RETRY_AFTER, denial.retryAfter().toString());
                    }
                    super.close(Status.fromCodeValue(denial.reason().grpcStatus).withDescription(denial.detail())
                            .withCause(exception), trailers);
                } else {
                    super.close(status, trailers);
                }
            }
        }, headers);
    }
}
