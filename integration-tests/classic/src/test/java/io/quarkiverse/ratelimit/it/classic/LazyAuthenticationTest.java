package io.quarkiverse.ratelimit.it.classic;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class LazyAuthenticationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = SecuredResource.application(false);

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
