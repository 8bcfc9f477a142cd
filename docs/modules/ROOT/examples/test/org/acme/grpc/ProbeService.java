package org.acme.grpc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.grpc.stub.StreamObserver;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.grpc.GrpcService;
import io.quarkus.grpc.RegisterInterceptor;
import io.quarkus.grpc.runtime.supports.context.RoutingContextGrpcInterceptor;
import io.smallrye.common.annotation.Blocking;

/** Extends the generated class rather than the interface, and blocks. */
@GrpcService
@Blocking
@RateLimited("probes")
@RegisterInterceptor(RoutingContextGrpcInterceptor.class)
public class ProbeService extends ProbesGrpc.ProbesImplBase {

    @Inject
    Station station;

    @ApplicationScoped
    static class Station {

        @RateLimited("probes")
        CompletionStage<Forecast> measure() {
            return CompletableFuture.completedFuture(Forecast.newBuilder().setWeather("fine").build());
        }
    }

    @Override
    public void blocking(Place place, StreamObserver<Forecast> answer) {
        answer.onNext(Forecast.newBuilder().setWeather("fine").build());
        answer.onCompleted();
    }

    @Override
    @RateLimited("callers-by-address")
    public void ofAddress(Place place, StreamObserver<Forecast> answer) {
        blocking(place, answer);
    }

    /** Waits for a stage, so that a denial is the cause of a {@code CompletionException}. */
    @Override
    @Unlimited
    public void joining(Place place, StreamObserver<Forecast> answer) {
        answer.onNext(station.measure().toCompletableFuture().join());
        answer.onCompleted();
    }

    @Override
    @Unlimited
    public void broken(Place place, StreamObserver<Forecast> answer) {
        throw new IllegalStateException("broken");
    }
}
