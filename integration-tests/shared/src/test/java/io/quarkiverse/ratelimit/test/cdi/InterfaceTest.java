package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Interfaces and generic superclasses limit the methods of the beans that implement them. */
@QuarkusTest
class InterfaceTest {

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
