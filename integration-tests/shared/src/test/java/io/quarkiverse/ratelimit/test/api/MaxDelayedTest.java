package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jakarta.inject.Inject;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** No more calls are delayed than configured. A further call is denied at once. */
@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class MaxDelayedTest {

    private static final Duration AT_ONCE = Duration.ofSeconds(15);
    private static final Duration PERIOD = Duration.ofDays(10);
    private static final Duration WAIT = PERIOD.multipliedBy(30);

    @Inject
    RateLimiters limiters;

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "leaky-bucket", "fixed-window", "sliding-log" })
    void oneMoreIsDeniedAtOnceUntilAPlaceIsFree(String algorithm) {
        RateLimiter limiter = limiters.create("max-delayed-" + algorithm, LimitOf.algorithm(algorithm, 1, PERIOD));
        limiter.forKey("a").tryAcquire();
        limiter.forKey("b").tryAcquire();
        CompletableFuture<RateLimitDecision> first = hold(limiter, "a");
        CompletableFuture<RateLimitDecision> second = hold(limiter, "a");

        CompletableFuture<RateLimitDecision> another = waiting(limiter, "b");
        assertThat(another).succeedsWithin(AT_ONCE).returns(false, RateLimitDecision::allowed);
        assertThat(another.join().retryAfter()).isBetween(Duration.ofNanos(1), PERIOD);

        first.cancel(true);
        CompletableFuture<RateLimitDecision> third = hold(limiter, "b");

        second.cancel(true);
        third.cancel(true);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "leaky-bucket", "fixed-window", "sliding-log" })
    void allowedDeniedAndCanceledCallsFreeTheirPlaces(String algorithm) {
        RateLimiter limiter = limiters.create("places-" + algorithm, LimitOf.algorithm(algorithm, 1, PERIOD));
        for (int i = 0; i < 5; i++) {
            limiter.forKey("served" + i).tryAcquire(1, WAIT);
            limiter.forKey("served" + i).tryAcquire(1, Duration.ofMillis(1));
            CompletableFuture<RateLimitDecision> canceled = waiting(limiter, "served" + i);
            limiter.forKey("served" + i).peek();
            canceled.cancel(true);
        }
        limiter.forKey("a").tryAcquire();

        CompletableFuture<RateLimitDecision> first = hold(limiter, "a");
        CompletableFuture<RateLimitDecision> second = hold(limiter, "a");

        first.cancel(true);
        second.cancel(true);
    }

    /** Those that are being decided take no place: two wait, whatever comes at the same moment. */
    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "leaky-bucket", "fixed-window", "sliding-log" })
    void allPlacesAreTakenByCallsThatWait(String algorithm) {
        RateLimiter limiter = limiters.create("together-" + algorithm, LimitOf.algorithm(algorithm, 1, PERIOD));
        for (int round = 0; round < 20; round++) {
            String key = "round" + round;
            List<CompletableFuture<RateLimitDecision>> calls = new ArrayList<>();
            for (int call = 0; call < 10; call++) {
                // the callers of other keys are decided at the same moment, and do not wait
                waiting(limiter, key + "-" + call);
                calls.add(waiting(limiter, key));
            }
            await().atMost(AT_ONCE).until(() -> calls.stream().filter(CompletableFuture::isDone).count() == 8);

            assertThat(calls.stream().filter(CompletableFuture::isDone).filter(call -> call.join().allowed())).hasSize(1);
            limiter.forKey(key).peek();
            List<CompletableFuture<RateLimitDecision>> delayed = calls.stream().filter(call -> !call.isDone()).toList();
            assertThat(delayed).as("round %d", round).hasSize(2);
            delayed.forEach(call -> call.cancel(true));
        }
    }

    /** Waits with a call as soon as there is a place for it. */
    private static CompletableFuture<RateLimitDecision> hold(RateLimiter limiter, String key) {
        return await().atMost(AT_ONCE).until(() -> waiting(limiter, key), call -> isDelayed(call, limiter, key));
    }

    /** A denied call completes before the next reply for its key. */
    private static boolean isDelayed(CompletableFuture<RateLimitDecision> call, RateLimiter limiter, String key) {
        limiter.forKey(key).peek();
        try {
            call.get(100, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException e) {
            return true;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private static CompletableFuture<RateLimitDecision> waiting(RateLimiter limiter, String key) {
        return limiter.reactive().forKey(key).tryAcquire(1, WAIT).subscribeAsCompletionStage();
    }
}
