package io.quarkiverse.ratelimit.runtime.grpc;

import jakarta.enterprise.inject.spi.Prioritized;
import jakarta.inject.Singleton;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkus.grpc.GlobalInterceptor;

/**
 * Gives calls that a limit refused their gRPC status. It lies around Quarkus' handling of exceptions and changes only what
 * that could not tell, so that an application's own {@code ExceptionHandlerProvider} has the last word.
 */
@Singleton
@GlobalInterceptor
public class RefusalStatus implements ServerInterceptor, Prioritized {

    /** Around Quarkus' handling of exceptions, which has {@code MAX_VALUE - 70}, inside of its threads and contexts. */
    private static final int PRIORITY = Integer.MAX_VALUE - 65;

    private static final Metadata.Key<String> RETRY_AFTER = Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public int getPriority() {
        return PRIORITY;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(ServerCall<Q, A> call, Metadata headers,
            ServerCallHandler<Q, A> next) {
        return next.startCall(new SimpleForwardingServerCall<>(call) {
            @Override
            public void close(Status status, Metadata trailers) {
                if (status.getCode() == Status.Code.UNKNOWN
                        && status.getCause() instanceof RateLimitExceededException refusal) {
                    tellWhen(refusal.decision(), trailers);
                    super.close(statusOf(refusal), trailers);
                } else {
                    super.close(status, trailers);
                }
            }
        }, headers);
    }

    private static Status statusOf(RateLimitExceededException refusal) {
        return (refusal instanceof RateLimitUnavailableException ? Status.UNAVAILABLE : Status.RESOURCE_EXHAUSTED)
                .withDescription(refusal.getMessage()).withCause(refusal);
    }

    /** In whole seconds, rounded up, as over HTTP. */
    private static void tellWhen(RateLimitDecision decision, Metadata trailers) {
        if (!decision.neverAllowed()) {
            trailers.put(RETRY_AFTER, Long.toString(decision.retryAfterSeconds()));
        }
    }
}
