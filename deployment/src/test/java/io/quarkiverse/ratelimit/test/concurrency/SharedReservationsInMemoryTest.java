package io.quarkiverse.ratelimit.test.concurrency;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** The same instance continues a reservation by its id. */
class SharedReservationsInMemoryTest extends SharedReservations {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(SharedReservations.class))
            .overrideConfigKey("quarkus.rate-limit.store", "memory")
            .overrideConfigKey("quarkus.rate-limit.timeout", "10s");
}
