package io.quarkiverse.ratelimit.test.key;

import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Tokens that are verified when a request arrives. */
class ProactiveTokenClaimsTest extends TokenClaims {

    @RegisterExtension
    static final QuarkusUnitTest APP = application(true);
}
