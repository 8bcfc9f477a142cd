package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests with the packaged application. */
@QuarkusIntegrationTest
class LimitsIT extends LimitsTest {
}
