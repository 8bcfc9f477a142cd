package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.subscription.Cancellable;

/** Calls of code wait for permits up to their maximum wait, without a thread. */
@QuarkusTest
class RateLimiterWaitingTest {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(20);
    /** Long enough that no window ends while a test runs. */
    private static final Duration AGES = Duration.ofDays(100);

    @Inject
    RateLimiters limiters;

    private static final AtomicInteger NAMES = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callGoesAheadWhenItMayAndNotBefore(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, SHORT));
        limiter.forKey("a").tryAcquire();
        long before = System.nanoTime();
        Duration wait = limiter.forKey("a").tryAcquireUpTo(1).retryAfter();

        RateLimitDecision decision = limiter.forKey("a").tryAcquire(1, LONG);

        Duration waited = Duration.ofNanos(System.nanoTime() - before);
        assertThat(decision).returns(true, RateLimitDecision::allowed).returns(1L, RateLimitDecision::granted)
                .returns(Duration.ZERO, RateLimitDecision::retryAfter);
        assertThat(waited).isBetween(wait, wait.plusSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callThatWouldWaitTooLongIsDeniedAtOnceAndAcquiresNothing(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        limiter.forKey("a").tryAcquire();
        Duration before = limiter.forKey("a").tryAcquireUpTo(1).resetAfter();

        RateLimitDecision denied = limiter.reactive().forKey("a").tryAcquire(1, Duration.ofSeconds(30)).await()
                .atMost(Duration.ofSeconds(15));

        assertThat(denied).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted)
                .returns(false, RateLimitDecision::neverAllowed);
        assertThat(denied.retryAfter()).isBetween(Duration.ofNanos(1), AGES.multipliedBy(2));
        assertThat(limiter.forKey("a").peek().resetAfter()).isLessThanOrEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callBehindAnotherInTheQueueIsDeniedAtOnceToo(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        limiter.forKey("a").tryAcquire();
        CompletableFuture<RateLimitDecision> first = limiter.reactive().forKey("a").tryAcquire(1, AGES.multipliedBy(3))
                .subscribeAsCompletionStage();
        Duration unlessOthersCall = limiter.forKey("a").tryAcquireUpTo(1).retryAfter();

        RateLimitDecision denied = limiter.reactive().forKey("a").tryAcquire(1, Duration.ofSeconds(30)).await()
                .atMost(Duration.ofSeconds(15));

        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isBetween(unlessOthersCall.minusSeconds(90), unlessOthersCall.plus(AGES));
        assertThat(first).isNotDone();
        first.cancel(true);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void waitingCallsAreServedInTheOrderOfTheirArrival(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, SHORT));
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        limiter.forKey("a").tryAcquire();

        for (int i = 0; i < 4; i++) {
            int number = i;
            calls.add(limiter.reactive().forKey("a").tryAcquire(1, LONG).invoke(() -> served.add(number))
                    .subscribeAsCompletionStage());
        }

        calls.forEach(CompletableFuture::join);
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    @Test
    void eachQueuedCallIsAllowedAtItsOwnTime() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, Duration.ofMillis(200)));
        List<RateLimitDecision> decisions = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();

        for (int i = 0; i < 5; i++) {
            calls.add(limiter.reactive().forKey("a").tryAcquire(1, LONG).invoke(decisions::add).subscribeAsCompletionStage());
        }

        calls.forEach(CompletableFuture::join);
        assertThat(decisions).hasSize(5).allMatch(RateLimitDecision::allowed);
        for (int i = 1; i < 5; i++) {
            assertThat(Duration.between(decisions.get(i - 1).decidedAt(), decisions.get(i).decidedAt()))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void impossibleCostIsDeniedAtOnce(String algorithm) {
        RateLimitDecision denied = limiter(LimitOf.algorithm(algorithm, 1, AGES)).reactive().forKey("a").tryAcquire(2, AGES)
                .await()
                .atMost(Duration.ofSeconds(15));

        assertThat(denied).returns(false, RateLimitDecision::allowed).returns(true, RateLimitDecision::neverAllowed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void canceledCallAcquiresNothingAndDelaysNoOther(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        RateLimitDecision acquired = limiter.forKey("a").tryAcquire();
        Cancellable canceled = limiter.reactive().forKey("a").tryAcquire(1, AGES.multipliedBy(3)).subscribe().with(ignored -> {
        });
        limiter.forKey("a").peek();

        canceled.cancel();

        await().atMost(LONG)
                .until(() -> limiter.forKey("a").peek().resetAfter().compareTo(acquired.resetAfter()) <= 0);
        limiter.refund(acquired);
        assertThat(limiter.forKey("a").tryAcquire().allowed()).isTrue();
    }

    /**
     * All but those that cancel in the moment in which their reply is on its way to them. A refund of the call that
     * began an interval restarts it, after which others have nothing to refund.
     */
    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callCanceledDuringItsDecisionIsRefunded(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        List<RateLimitDecision> sooner = new CopyOnWriteArrayList<>();

        for (int i = 0; i < 40; i++) {
            limiter.reactive().forKey("key" + i).tryAcquire(1, AGES).subscribe().with(sooner::add).cancel();
        }

        await().atMost(LONG).until(() -> {
            sooner.forEach(limiter::refund);
            return IntStream.range(0, 40).filter(i -> limiter.forKey("key" + i).peek().remaining() == 1).count() >= 35;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void interruptedThreadLeavesTheQueue(String algorithm) throws InterruptedException {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        RateLimitDecision acquired = limiter.forKey("a").tryAcquire();
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                limiter.forKey("a").tryAcquire(1, AGES.multipliedBy(3));
            } catch (CompletionException e) {
                failed.complete(Thread.currentThread().isInterrupted() ? e.getCause() : e);
            }
        });
        waiting.start();
        await().atMost(LONG).until(() -> waiting.getState() == Thread.State.WAITING);

        waiting.interrupt();

        assertThat(failed).succeedsWithin(LONG).isInstanceOf(InterruptedException.class);
        await().atMost(LONG)
                .until(() -> limiter.forKey("a").peek().resetAfter().compareTo(acquired.resetAfter()) <= 0);
        limiter.refund(acquired);
        assertThat(limiter.forKey("a").tryAcquire().allowed()).isTrue();
    }

    @Test
    void secondInTheQueueReplacesACanceledFirst() {
        RateLimiter limiter = limiter(Limit.slidingLog(5, Duration.ofSeconds(2)));
        RateLimitDecision acquired = limiter.forKey("a").tryAcquire(5);
        Cancellable first = limiter.reactive().forKey("a").tryAcquire(5, LONG).subscribe().with(ignored -> {
        });
        CompletableFuture<RateLimitDecision> second = limiter.reactive().forKey("a").tryAcquire(1, LONG)
                .subscribeAsCompletionStage();
        limiter.forKey("a").peek();

        limiter.refund(acquired);
        first.cancel();

        assertThat(second).succeedsWithin(LONG).returns(true, RateLimitDecision::allowed);
    }

    @Test
    void callThatRunsOutOfTimeInTheQueueGetsItsWaitFromNow() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, Duration.ofSeconds(2)));
        limiter.forKey("a").tryAcquire();
        CompletableFuture<RateLimitDecision> first = limiter.reactive().forKey("a").tryAcquire(1, LONG)
                .subscribeAsCompletionStage();
        CompletableFuture<RateLimitDecision> second = limiter.reactive().forKey("a").tryAcquire(1, Duration.ofSeconds(3))
                .subscribeAsCompletionStage();

        RateLimitDecision denied = second.join();

        Duration left = limiter.forKey("a").tryAcquireUpTo(1).retryAfter();
        assertThat(first).isCompletedWithValueMatching(RateLimitDecision::allowed);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.retryAfter()).isBetween(left, left.plusSeconds(1));
    }

    @Test
    @Tag("slow")
    void fiveThousandWaitInOneQueue() {
        RateLimiter limiter = limiter(Limit.slidingLog(5_000, Duration.ofSeconds(1)));
        limiter.forKey("a").tryAcquire(5_000);
        List<CompletableFuture<RateLimitDecision>> calls = new ArrayList<>();

        for (int i = 0; i < 5_000; i++) {
            calls.add(limiter.reactive().forKey("a").tryAcquire(1, Duration.ofMinutes(2)).subscribeAsCompletionStage());
        }

        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofMinutes(1));
        assertThat(calls).allMatch(call -> call.join().allowed());
    }

    @Test
    void fiveThousandInOneQueueTimeOutTogether() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, AGES));
        limiter.forKey("a").tryAcquire();
        CompletableFuture<RateLimitDecision> first = limiter.reactive().forKey("a").tryAcquire(1, AGES)
                .subscribeAsCompletionStage();
        List<CompletableFuture<RateLimitDecision>> calls = new ArrayList<>();

        for (int i = 0; i < 5_000; i++) {
            calls.add(limiter.reactive().forKey("a").tryAcquire(1, Duration.ofSeconds(2)).subscribeAsCompletionStage());
        }

        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofMinutes(1));
        assertThat(calls).noneMatch(call -> call.join().allowed());
        first.cancel(true);
        assertThatThrownBy(() -> limiter.forKey("a").tryAcquire(1, Duration.ofDays(367)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void callWaitsForBucketsTogetherWithOtherLimits() {
        RateLimiter limiter = limiters.create("waiting" + NAMES.incrementAndGet(), Map.of(
                "bucket", Limit.tokenBucket(1).refill(1, SHORT), "window", Limit.fixedWindow(1000, AGES)));
        limiter.forKey("a").tryAcquire();

        assertThat(limiter.forKey("a").tryAcquire(1, LONG).allowed()).isTrue();
        assertThat(limiter.reactive().forKey("a").tryAcquire(1, LONG).await().atMost(LONG).allowed()).isTrue();
    }

    private RateLimiter limiter(Limit limit) {
        return limiters.create("waiting" + NAMES.incrementAndGet(), limit);
    }
}
