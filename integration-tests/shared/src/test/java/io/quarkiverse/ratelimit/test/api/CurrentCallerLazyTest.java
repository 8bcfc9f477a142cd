package io.quarkiverse.ratelimit.test.api;

import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The same where the limiter must authenticate the caller. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class CurrentCallerLazyTest extends CurrentCallerTest {
}
