package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.test.junit.QuarkusTest;

/** A method is limited by the nearest declaration with an annotation: its own, else that of its superclass, else its class. */
@QuarkusTest
class InheritanceTest {

    @Inject
    Shop shop;

    @Inject
    Market market;

    @Test
    void classStandsForAllItsMethodsAndMethodsReplaceIt() {
        assertAllows(1, shop::ofClass);
        assertAllows(2, shop::ofMethod);
        assertUnlimited(shop::exempt);
        assertAllows(1, shop::packagePrivate);
        assertAllows(1, shop::isProtected);
        assertAllows(1, shop::isFinal);
    }

    @Test
    void superclassIsSharedAndEachBeanKeepsItsOwnPolicy() {
        assertAllows(1, shop::inherited);
        assertAllows(2, market::inherited);
        assertAllows(2, shop::limitedInBase);
        assertAllows(2, market::limitedInBase);
        assertUnlimited(market::exemptHere);
        assertAllows(2, shop::exemptHere);
    }

    @Test
    void overridingMethodThatCallsItsSuperIsChargedOnce() {
        assertAllows(2, market::callsSuper);
    }

    public abstract static class Base {
        public void inherited() {
        }

        @RateLimited("two")
        public void limitedInBase() {
        }

        @RateLimited("two")
        public void exemptHere() {
        }

        @RateLimited("two")
        public void callsSuper() {
        }
    }

    @ApplicationScoped
    @RateLimited("one")
    public static class Shop extends Base {
        public void ofClass() {
        }

        @RateLimited("two")
        public void ofMethod() {
        }

        @Unlimited
        public void exempt() {
        }

        void packagePrivate() {
        }

        protected void isProtected() {
        }

        public final void isFinal() {
        }
    }

    @Singleton
    @RateLimited("two")
    public static class Market extends Base {
        @Override
        @Unlimited
        public void exemptHere() {
        }

        @Override
        public void callsSuper() {
            super.callsSuper();
        }
    }
}
