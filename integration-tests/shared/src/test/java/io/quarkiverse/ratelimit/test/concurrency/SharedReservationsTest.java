package io.quarkiverse.ratelimit.test.concurrency;

import io.quarkus.test.junit.QuarkusTest;

/** Another instance continues a reservation by its id, as Redis knows which have ended. */
@QuarkusTest
class SharedReservationsTest extends SharedReservations {
}
