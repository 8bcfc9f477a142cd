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
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Jobs proceed one after the other. */
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
    void everyPictureIsDrawn() {
        long begun = System.nanoTime();

        List<String> drawn = thumbnails.drawAll(Multi.createFrom().items("a", "b", "c", "d")).collect().asList()
                .await().indefinitely();

        assertThat(drawn).containsExactly("small a", "small b", "small c", "small d");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(3));
    }

    @Test
    void callsProceedATenthOfASecondApart() {
        ReactiveRateLimiter paced = limiters.get("crawler").reactive().forKey("site");

        List<RateLimitDecision> all = Uni.join()
                .all(paced.tryAcquire(), paced.tryAcquire(), paced.tryAcquire())
                .andFailFast().await().indefinitely();

        List<Instant> proceed = all.stream().map(decision -> decision.decidedAt().plus(decision.delay())).sorted().toList();
        assertThat(Duration.between(proceed.get(0), proceed.get(1))).isGreaterThanOrEqualTo(TENTH);
        assertThat(Duration.between(proceed.get(1), proceed.get(2))).isGreaterThanOrEqualTo(TENTH);
    }

    @Test
    void callsOfLimitedMethodsArePacedToo() {
        long begun = System.nanoTime();

        List<String> read = Uni.join().all(crawler.read("a"), crawler.read("b"), crawler.read("c")).andFailFast()
                .await().indefinitely();

        assertThat(read).containsExactly("read a", "read b", "read c");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(2));
    }

    @Test
    void callThatCannotProceedInTimeIsDeniedAtOnce() {
        limiter.forKey("all").charge(1000);

        RateLimitDecision denied = limiter.forKey("all").tryAcquire(1, Duration.ofSeconds(10));

        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
    }
}
