package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.core.runtime.context.VertxContextSafetyToggle;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** A caller on an event loop gets its result there, and never waits there. */
@QuarkusTest
class RateLimiterOnEventLoopTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration AGES = Duration.ofDays(100);

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "sliding-log" })
    void eventLoopIsFreeWhileACallWaits(String algorithm) {
        RateLimiter limiter = limiters.create("free-" + algorithm, LimitOf.algorithm(algorithm, 1, AGES));
        limiter.forKey("a").tryAcquire();
        CompletableFuture<Boolean> waiting = new CompletableFuture<>();
        CompletableFuture<Cancellable> call = new CompletableFuture<>();
        CompletableFuture<Boolean> freeMeanwhile = new CompletableFuture<>();

        caller().runOnContext(ignored -> {
            call.complete(limiter.reactive().forKey("a").tryAcquire(1, AGES.multipliedBy(3)).subscribe()
                    .with(decision -> waiting.complete(decision.allowed())));
            vertx.setTimer(20, timer -> freeMeanwhile.complete(!waiting.isDone()));
        });

        assertThat(freeMeanwhile).succeedsWithin(LONG).isEqualTo(true);
        call.join().cancel();
    }

    @Test
    void resultsArriveInTheContextOfTheCaller() {
        RateLimiter limiter = limiters.create("context", Limit.slidingLog(1, Duration.ofMillis(300)));

        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("a").tryAcquire());
        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("a").tryAcquire(1, LONG));
        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("a").peek());
        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("a").charge(1));
        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("b").reserve(1));
        assertArrivesInTheContextOfTheCaller(
                () -> limiter.reactive().forKey("c").reserve(1).chain(reservation -> reservation.settle(2)));
        assertArrivesInTheContextOfTheCaller(
                () -> limiter.reactive().forKey("d").tryAcquire().chain(limiter.reactive()::refund));
        assertArrivesInTheContextOfTheCaller(() -> limiter.reactive().forKey("a").reset());
    }

    private void assertArrivesInTheContextOfTheCaller(Supplier<Uni<?>> call) {
        Context caller = caller();
        CompletableFuture<Context> arrived = new CompletableFuture<>();

        caller.runOnContext(ignored -> call.get().subscribe().with(result -> arrived.complete(Vertx.currentContext()),
                arrived::completeExceptionally));

        assertThat(arrived).succeedsWithin(LONG).isSameAs(caller);
    }

    @Test
    void blockingMethodsFailOnAnEventLoopAndAcquireNothing() {
        RateLimiter limiter = limiters.create("twins", Limit.tokenBucket(5).refill(1, Duration.ofHours(1)));

        assertFailsOnEventLoop(() -> limiter.forKey("a").tryAcquire());
        assertFailsOnEventLoop(() -> limiter.forKey("a").tryAcquire(2, LONG));
        assertFailsOnEventLoop(() -> limiter.forKey("a").tryAcquireUpTo(2));
        assertFailsOnEventLoop(() -> limiter.forKey("a").charge(2));
        assertFailsOnEventLoop(() -> limiter.forKey("a").reserve(2));
        assertFailsOnEventLoop(() -> limiter.forKey("a").peek());
        assertFailsOnEventLoop(() -> {
            limiter.forKey("a").reset();
            return null;
        });

        assertThat(limiter.forKey("a").peek().remaining()).isEqualTo(5);
    }

    private void assertFailsOnEventLoop(Callable<?> twin) {
        CompletableFuture<Object> outcome = new CompletableFuture<>();

        caller().runOnContext(ignored -> {
            try {
                outcome.complete(twin.call());
            } catch (Exception failure) {
                outcome.completeExceptionally(failure);
            }
        });

        assertThat(outcome).failsWithin(LONG).withThrowableThat().havingCause()
                .isInstanceOf(IllegalStateException.class).withMessageContaining("blocked");
    }

    private Context caller() {
        Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());
        VertxContextSafetyToggle.setContextSafe(context, true);
        return context;
    }
}
