package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same of the packaged application. */
@QuarkusIntegrationTest
class LimitsIT extends LimitsTest {
}
