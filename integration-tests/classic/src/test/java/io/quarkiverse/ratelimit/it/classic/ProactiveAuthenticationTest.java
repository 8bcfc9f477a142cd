package io.quarkiverse.ratelimit.it.classic;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class ProactiveAuthenticationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = SecuredResource.application(true);

    @Test
    void requestsThatSecurityDeniesCostNothing() {
        SecuredResource.assertRequestsThatSecurityDeniesCostNothing();
    }

    @Test
    void everyUserHasItsOwnCount() {
        SecuredResource.assertEveryUserHasItsOwnCount();
    }

    @Test
    void limiterFindsTheCaller() {
        SecuredResource.assertLimiterFindsTheCaller();
    }
}
