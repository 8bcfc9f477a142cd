package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/**
 * The packaged application in a JVM of its own.
 */
@QuarkusIntegrationTest
class LocalRedisIT extends LocalRedisTest {
}
