package io.quarkiverse.ratelimit.test.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** A call that is delayed by one limit holds its permit of another for as long as it waits. */
@QuarkusTest
class ConcurrencyDelayedCallTest {

    @Inject
    Jobs jobs;

    @Inject
    @RateLimitPolicy("jobs")
    RateLimiter limiter;

    @Test
    void noOtherCallIsAllowedWhileItWaits() {
        jobs.run().await().atMost(Duration.ofSeconds(10));
        await().until(() -> limiter.forKey("").peek().limits().stream().map(LimitState::remaining).toList().contains(1L));
        CompletableFuture<String> waits = jobs.run().subscribeAsCompletionStage();

        for (int look = 0; look < 8; look++) {
            await().pollDelay(Duration.ofMillis(250)).until(() -> true);
            assertThat(isDenied()).isTrue();
        }

        assertThat(waits).isNotDone();
        waits.cancel(true);
    }

    private boolean isDenied() {
        CompletableFuture<String> other = jobs.run().subscribeAsCompletionStage();
        try {
            other.get(20, TimeUnit.SECONDS);
            return false;
        } catch (Exception e) {
            other.cancel(true);
            return e.getCause() instanceof RateLimitExceededException;
        }
    }

    @Singleton
    public static class Jobs {

        @RateLimited("jobs")
        public Uni<String> run() {
            return Uni.createFrom().item("done");
        }
    }
}
