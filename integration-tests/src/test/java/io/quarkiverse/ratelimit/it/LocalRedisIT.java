package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/**
 * The same tests with the packaged application, in its own JVM.
 */
@QuarkusIntegrationTest
class LocalRedisIT extends LocalRedisTest {
}
