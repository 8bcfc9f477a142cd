package org.acme.prefetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;

/** A key that is used often is decided without Redis for the most part. */
@QuarkusTest
class SearchIndexTest extends FreshLimits {

    @Inject
    @RateLimitPolicy("search-index")
    RateLimiter limiter;

    @Test
    void mostCallsOfAHotKeyNeedNoRequest() {
        List<RateLimitDecision> decisions = Stream.generate(() -> limiter.tryAcquire()).limit(500).toList();

        assertThat(decisions).allMatch(RateLimitDecision::allowed);
        assertThat(decisions).filteredOn(decision -> decision.source() == Source.PREFETCHED).hasSizeGreaterThan(250);
    }
}
