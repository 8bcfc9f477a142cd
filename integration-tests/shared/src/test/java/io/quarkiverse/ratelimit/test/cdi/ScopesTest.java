package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Beans of every scope are limited, whenever they are created; objects that the container did not create are not. */
@QuarkusTest
class ScopesTest {

    @Inject
    Instance<DependentBean> dependents;

    @Inject
    SingletonBean singleton;

    @Inject
    RequestBean requestBean;

    @Inject
    EarlyBean early;

    @Inject
    Product product;

    @Test
    void instancesOfADependentBeanShareOneLimit() {
        assertAllows(2, () -> dependents.get().call());
    }

    @Test
    void singletonIsLimited() {
        assertAllows(2, singleton::call);
    }

    @Test
    @ActivateRequestContext
    void requestScopedBeanIsLimited() {
        assertAllows(2, requestBean::call);
    }

    @Test
    void beanCreatedWhileTheApplicationIsBuiltIsLimited() {
        assertAllows(2, early::call);
    }

    @Test
    void callOfTheBeanToItselfIsLimited() {
        assertAllows(2, early::callsItself);
    }

    @Test
    void producedObjectIsNotLimited() {
        assertUnlimited(product::call);
    }

    @Dependent
    public static class DependentBean {
        @RateLimited("two")
        public void call() {
        }
    }

    @Singleton
    public static class SingletonBean {
        @RateLimited("two")
        public void call() {
        }
    }

    @RequestScoped
    public static class RequestBean {
        @RateLimited("two")
        public void call() {
        }
    }

    @ApplicationScoped
    public static class EarlyBean {
        void init(@Observes @Initialized(ApplicationScoped.class) Object event) {
        }

        @RateLimited("two")
        public void call() {
        }

        public void callsItself() {
            limited();
        }

        @RateLimited("two")
        void limited() {
        }

        @Produces
        @Singleton
        Product product() {
            return new Product();
        }
    }

    @Vetoed
    public static class Product {
        @RateLimited("two")
        public void call() {
        }
    }
}
