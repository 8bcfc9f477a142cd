package org.acme.grpc;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.grpc.GrpcService;
import io.quarkus.grpc.RegisterInterceptor;
import io.quarkus.grpc.runtime.supports.context.RoutingContextGrpcInterceptor;
import io.smallrye.mutiny.Uni;

/** One method for each key part. */
@GrpcService
@RegisterInterceptor(RoutingContextGrpcInterceptor.class)
public class CallerService implements Callers {

    @Override
    @RateLimited("callers-by-address")
    public Uni<Forecast> ofAddress(Place place) {
        return fine();
    }

    @Override
    @RateLimited("callers-by-message")
    @RateLimited("two-callers-by-address")
    public Uni<Forecast> ofMessage(@RateLimitKey(value = "name", policies = "callers-by-message") Place place) {
        return fine();
    }

    @Override
    @RateLimited("callers-by-metadata")
    public Uni<Forecast> ofMetadata(Place place) {
        return fine();
    }

    @Override
    @RateLimited("callers-by-name")
    public Uni<Forecast> ofPrincipal(Place place) {
        return fine();
    }

    private static Uni<Forecast> fine() {
        return Uni.createFrom().item(Forecast.newBuilder().setWeather("fine").build());
    }
}
