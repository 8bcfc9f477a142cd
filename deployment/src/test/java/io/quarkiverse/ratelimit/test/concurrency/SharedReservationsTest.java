package io.quarkiverse.ratelimit.test.concurrency;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Another instance continues a reservation by its id, as Redis knows which have ended. */
class SharedReservationsTest extends SharedReservations {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(SharedReservations.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "10s");
}
