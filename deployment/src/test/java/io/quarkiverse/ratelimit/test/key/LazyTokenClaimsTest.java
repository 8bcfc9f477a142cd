package io.quarkiverse.ratelimit.test.key;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Tokens that are verified when a limit needs them. */
class LazyTokenClaimsTest extends TokenClaims {

    @RegisterExtension
    static final QuarkusUnitTest APP = application(false);
}
