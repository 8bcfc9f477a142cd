package org.acme.jobs;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;

/** Sends what {@link Deliveries} delivers. */
@Singleton
class Depot {

    @Channel("parcels")
    Emitter<String> parcels;

    @Channel("letters")
    Emitter<Deliveries.Letter> letters;

    @Channel("adverts")
    Emitter<String> adverts;
}
