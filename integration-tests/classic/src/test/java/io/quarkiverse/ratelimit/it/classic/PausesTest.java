package io.quarkiverse.ratelimit.it.classic;

import io.quarkiverse.ratelimit.test.clients.PausesInAnyOrder;
import io.quarkus.test.junit.QuarkusTest;

/** Pauses of RESTEasy Classic's clients do not depend on earlier calls. */
@QuarkusTest
class PausesTest extends PausesInAnyOrder {
}
