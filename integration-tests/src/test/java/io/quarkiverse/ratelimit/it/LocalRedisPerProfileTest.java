package io.quarkiverse.ratelimit.it;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/**
 * The same in another profile: what the first one counted is gone.
 */
@QuarkusTest
@TestProfile(LocalRedisPerProfileTest.AlsoLocal.class)
class LocalRedisPerProfileTest extends LocalRedisTest {

    public static class AlsoLocal extends Local {
    }
}
