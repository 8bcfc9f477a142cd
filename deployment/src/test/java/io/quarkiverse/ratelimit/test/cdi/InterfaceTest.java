package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** Interfaces and generic superclasses limit the methods of the beans that implement them. */
class InterfaceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(LimitAssertions.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "5s")
            .overrideConfigKey("quarkus.rate-limit.policies.one.permits", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.one.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.one.key", "method")
            .overrideConfigKey("quarkus.rate-limit.policies.two.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.two.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two.key", "method");

    @Inject
    Orders orders;

    @Test
    void interfaceIsHonoured() {
        assertAllows(1, orders::ofInterface);
        assertAllows(2, () -> orders.find("a"));
        assertUnlimited(orders::ownOfClass);
    }

    @Test
    void defaultMethodOfAnInterfaceIsLimited() {
        assertAllows(1, orders::byDefault);
        assertAllows(2, orders::byDefaultOfItsOwn);
    }

    @Test
    void genericMethodsAreMatchedByTheirActualTypes() {
        assertAllows(2, () -> orders.store("a"));
        assertAllows(1, () -> orders.storeOrReplace("a"));
        assertAllows(2, () -> ((Repository<String>) orders).keep("a"));
    }

    public abstract static class Repository<T> {
        @RateLimited("two")
        public T store(T item) {
            return item;
        }

        @RateLimited("two")
        public abstract T storeOrReplace(T item);

        @RateLimited("two")
        public abstract T keep(T item);
    }

    @RateLimited("one")
    public interface Finder<K> {
        void ofInterface();

        @RateLimited("two")
        void find(K key);

        default void byDefault() {
        }

        @RateLimited("two")
        default void byDefaultOfItsOwn() {
        }
    }

    @ApplicationScoped
    public static class Orders extends Repository<String> implements Finder<String> {
        @Override
        public void ofInterface() {
        }

        @Override
        public void find(String key) {
        }

        @Override
        @RateLimited("one")
        public String storeOrReplace(String item) {
            return item;
        }

        @Override
        public String keep(String item) {
            return item;
        }

        public void ownOfClass() {
        }
    }
}
