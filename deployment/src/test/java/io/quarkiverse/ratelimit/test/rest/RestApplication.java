package io.quarkiverse.ratelimit.test.rest;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application with the resources of these tests. Each path is a caller of its own where a test does not say otherwise. */
final class RestApplication {

    static final SharedApplication APP = new SharedApplication(RestApplication::configuration, RestApplication.class,
            Limits.class, AlgorithmHeadersTest.class, AnnotationPlacesTest.class, ArgumentsWhileRunningTest.class,
            BeanCallsTest.class, EndpointKindsTest.class, GenericResourceTest.class, InheritedLimitsTest.class,
            LimitNumbersTest.class, MissingKeyTest.class, PolicyModesTest.class, RequestBodyTest.class,
            ResourceArgumentsTest.class, SeveralPoliciesTest.class, SubResourceTest.class);

    private RestApplication() {
    }

    private static String configuration() {
        return AlgorithmHeadersTest.policies() + AnnotationPlacesTest.policies() + ArgumentsWhileRunningTest.policies()
                + BeanCallsTest.policies() + EndpointKindsTest.policies() + GenericResourceTest.policies()
                + InheritedLimitsTest.policies() + LimitNumbersTest.policies() + MissingKeyTest.policies()
                + PolicyModesTest.policies() + RequestBodyTest.policies() + ResourceArgumentsTest.policies()
                + SeveralPoliciesTest.policies() + SubResourceTest.policies();
    }
}
