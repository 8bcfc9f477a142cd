package org.acme.grpc;

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

    @Override
    @Unlimited
    public void broken(Place place, StreamObserver<Forecast> answer) {
        throw new IllegalStateException("broken");
    }
}
