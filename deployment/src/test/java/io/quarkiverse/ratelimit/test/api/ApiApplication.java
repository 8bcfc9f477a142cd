package io.quarkiverse.ratelimit.test.api;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application whose code limits itself in these tests. */
final class ApiApplication {

    static final SharedApplication APP = new SharedApplication(ApiApplication::configuration, ApiApplication.class, LimitOf.class, CountsTest.class, EventLoopTest.class, OverridesTest.class, PolicyModesTest.class, RateLimiterTest.class, RefundTest.class, WaitingTest.class);

    private ApiApplication() {
    }

    private static String configuration() {
        return "quarkus.rate-limit.timeout=10s\n" + CountsTest.POLICIES + OverridesTest.policies() + PolicyModesTest.policies() + RateLimiterTest.policies();
    }
}
