package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.cache.CacheInvalidate;
import io.quarkus.cache.CacheInvalidateAll;
import io.quarkus.cache.CacheResult;
import io.quarkus.test.junit.QuarkusTest;

/** The limit lies outside of caches: cached results are charged, and denied calls do not touch the cache. */
@QuarkusTest
class CacheTest {

    @Inject
    Service service;

    @Test
    void cachedResultsAreCharged() {
        assertAllows(2, () -> service.cached("a"));
        assertThat(service.loads).hasValue(1);
    }

    @Test
    void deniedCallsLeaveTheCacheAlone() {
        service.kept();
        assertAllows(2, service::clear);
        service.kept();
        assertThat(service.keptLoads).hasValue(3);

        service.keptToo("a");
        assertAllows(2, () -> service.clearOne("a"));
        service.keptToo("a");
        assertThat(service.keptTooLoads).hasValue(3);
    }

    @Singleton
    public static class Service {

        final AtomicInteger loads = new AtomicInteger();
        final AtomicInteger keptLoads = new AtomicInteger();
        final AtomicInteger keptTooLoads = new AtomicInteger();

        @CacheResult(cacheName = "cached")
        @RateLimited("two")
        public int cached(String key) {
            return loads.incrementAndGet();
        }

        @CacheResult(cacheName = "kept")
        public int kept() {
            return keptLoads.incrementAndGet();
        }

        @CacheInvalidateAll(cacheName = "kept")
        @RateLimited("two")
        public void clear() {
            kept();
        }

        @CacheResult(cacheName = "kept-too")
        public int keptToo(String key) {
            return keptTooLoads.incrementAndGet();
        }

        @CacheInvalidate(cacheName = "kept-too")
        @RateLimited("two")
        public void clearOne(String key) {
            keptToo(key);
        }
    }
}
