package io.quarkiverse.ratelimit.test.concurrency;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application with the beans and resources of these tests. */
final class ConcurrencyApplication {

    static final SharedApplication APP = new SharedApplication(ConcurrencyApplication::configuration, ConcurrencyApplication.class, BeanMethodsTest.class, DelayedCallTest.class, EndpointsTest.class, RequestsTest.class, ReservationsTest.class, SharedReservationsTest.class);

    private ConcurrencyApplication() {
    }

    private static String configuration() {
        return "quarkus.rate-limit.timeout=10s\n" + BeanMethodsTest.policies() + DelayedCallTest.policies() + EndpointsTest.policies() + RequestsTest.policies();
    }
}
