package io.quarkiverse.ratelimit.test.concurrency;

import io.quarkus.test.junit.QuarkusTest;

/** Another instance continues a reservation by its id. Redis stores which reservations have ended. */
@QuarkusTest
class ConcurrencySharedReservationsTest extends SharedReservations {
}
