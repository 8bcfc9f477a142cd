package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/**
 * The same tests in another profile: its Redis is empty again.
 */
@QuarkusTest
@TestProfile(LocalRedisPerProfileTest.AlsoLocal.class)
class LocalRedisPerProfileTest extends LocalRedisTest {

    public static class AlsoLocal extends Local {
    }
}
