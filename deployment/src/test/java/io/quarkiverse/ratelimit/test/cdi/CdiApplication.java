package io.quarkiverse.ratelimit.test.cdi;

import io.quarkiverse.ratelimit.test.SharedApplication;

/** One application with the beans of these tests. Each method is a caller of its own. */
final class CdiApplication {

    static final SharedApplication APP = new SharedApplication(CdiApplication::configuration, CdiApplication.class, Admission.class,
            CacheTest.class, CallerContextTest.class, GenericsTest.class, IdentityWithoutRequestTest.class,
            InheritanceTest.class, InterfaceTest.class, KeyArgumentsTest.class, MultiAndStageTest.class,
            OtherInterceptorsTest.class, PlainCallTest.class, ScopesTest.class, SeveralPoliciesTest.class,
            UniCallTest.class);

    private CdiApplication() {
    }

    private static String configuration() {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.one.permits=1
                quarkus.rate-limit.policies.one.period=1h
                quarkus.rate-limit.policies.one.key=method
                quarkus.rate-limit.policies.two.permits=2
                quarkus.rate-limit.policies.two.period=1h
                quarkus.rate-limit.policies.two.key=method
                quarkus.rate-limit.policies.many.permits=1000
                quarkus.rate-limit.policies.many.period=1h
                quarkus.rate-limit.policies.many.key=global
                """ + IdentityWithoutRequestTest.POLICIES + KeyArgumentsTest.policies() + SeveralPoliciesTest.POLICIES;
    }
}
