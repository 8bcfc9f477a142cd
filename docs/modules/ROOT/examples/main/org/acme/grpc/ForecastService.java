package org.acme.grpc;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.grpc.GrpcService;
import io.quarkus.grpc.RegisterInterceptor;
import io.quarkus.grpc.runtime.supports.context.RoutingContextGrpcInterceptor;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Forecasts the weather over gRPC. */
// tag::service[]
@GrpcService
@RateLimited("forecasts")
@RegisterInterceptor(RoutingContextGrpcInterceptor.class)
public class ForecastService implements Forecasts {

    @Override
    public Uni<Forecast> today(Place place) {
        return Uni.createFrom().item(sunny(place));
    }

    @Override
    public Multi<Forecast> follow(Place place) {
        return Multi.createFrom().items(sunny(place), sunny(place), sunny(place));
    }
    // end::service[]

    @Override
    public Uni<Forecast> mean(Multi<Place> places) {
        return places.collect().last().map(ForecastService::sunny);
    }

    @Override
    public Multi<Forecast> tour(Multi<Place> places) {
        return places.map(ForecastService::sunny);
    }

    private static Forecast sunny(Place place) {
        return Forecast.newBuilder().setWeather("sunny in " + place.getName()).build();
    }
    // tag::service[]
}
// end::service[]
