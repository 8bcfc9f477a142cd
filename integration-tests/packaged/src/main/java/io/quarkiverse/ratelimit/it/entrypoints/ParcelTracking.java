package io.quarkiverse.ratelimit.it.entrypoints;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.it.entrypoints.tracking.Parcel;
import io.quarkiverse.ratelimit.it.entrypoints.tracking.Place;
import io.quarkiverse.ratelimit.it.entrypoints.tracking.Tracking;
import io.quarkus.grpc.GrpcService;
import io.smallrye.mutiny.Uni;

/** Locates parcels over gRPC. */
@GrpcService
public class ParcelTracking implements Tracking {

    @Override
    @RateLimited("once")
    public Uni<Place> locate(Parcel parcel) {
        return Uni.createFrom().item(Place.newBuilder().setName("parcel " + parcel.getNumber() + " is in Rome").build());
    }
}
