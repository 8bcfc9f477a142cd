package org.acme.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Jobs go ahead one after the other. */
@QuarkusTest
class JobsTest extends FreshLimits {

    private static final Duration TENTH = Duration.ofMillis(100);

    @Inject
    Thumbnails thumbnails;

    @Inject
    Crawler crawler;

    @Inject
    @RateLimitPolicy("thumbnails")
    RateLimiter limiter;

    @Inject
    RateLimiters limiters;

    @Test
    void everyPictureIsDrawnInTheEnd() {
        long begun = System.nanoTime();

        List<String> drawn = thumbnails.drawAll(Multi.createFrom().items("a", "b", "c", "d")).collect().asList()
                .await().indefinitely();

        assertThat(drawn).containsExactly("small a", "small b", "small c", "small d");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(3));
    }

    @Test
    void callsGoAheadATenthOfASecondApart() {
        RateLimiter paced = limiters.get("crawler");

        List<RateLimitDecision> all = Uni.join().all(paced.acquire("site"), paced.acquire("site"), paced.acquire("site"))
                .andFailFast().await().indefinitely();

        List<Instant> ahead = all.stream().map(decision -> decision.decidedAt().plus(decision.delay())).sorted().toList();
        assertThat(Duration.between(ahead.get(0), ahead.get(1))).isGreaterThanOrEqualTo(TENTH);
        assertThat(Duration.between(ahead.get(1), ahead.get(2))).isGreaterThanOrEqualTo(TENTH);
    }

    @Test
    void guardedCallsArePacedToo() {
        long begun = System.nanoTime();

        List<String> read = Uni.join().all(crawler.read("a"), crawler.read("b"), crawler.read("c")).andFailFast()
                .await().indefinitely();

        assertThat(read).containsExactly("read a", "read b", "read c");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(2));
    }

    @Test
    void whatCannotBeHadInTimeIsRefusedAtOnce() {
        limiter.chargeAndAwait("all", 1000);

        RateLimitDecision refused = limiter.acquireAndAwait("all", 1, Duration.ofSeconds(10));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
    }
}
