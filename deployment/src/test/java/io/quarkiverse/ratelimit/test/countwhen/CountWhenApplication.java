package io.quarkiverse.ratelimit.test.countwhen;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application with the resources of these tests. */
final class CountWhenApplication {

    static final SharedApplication APP = new SharedApplication(CountWhenApplication::configuration, CountWhenApplication.class, LoginResource.class, CombinationsTest.class, StatusesTest.class);

    private CountWhenApplication() {
    }

    private static String configuration() {
        return "quarkus.rate-limit.timeout=10s\n" + CombinationsTest.policies() + StatusesTest.policies();
    }
}
