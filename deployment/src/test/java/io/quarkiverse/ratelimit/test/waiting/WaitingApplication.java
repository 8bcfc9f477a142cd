package io.quarkiverse.ratelimit.test.waiting;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application with the resources of these tests. */
final class WaitingApplication {

    static final SharedApplication APP = new SharedApplication(WaitingApplication::configuration, WaitingApplication.class, DelayTest.class, DelayedHeadersTest.class);

    private WaitingApplication() {
    }

    private static String configuration() {
        return "quarkus.rate-limit.timeout=10s\n" + DelayTest.policies() + DelayedHeadersTest.policies();
    }
}
