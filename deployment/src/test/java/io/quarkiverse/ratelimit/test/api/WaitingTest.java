package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.subscription.Cancellable;

/** Calls of code wait for permits as long as they say, without a thread. */
class WaitingTest {

    private static final Duration HALF = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(20);
    /** Long enough that no window ends while a test runs. */
    private static final Duration AGES = Duration.ofDays(100);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(LimitOf.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "10s");

    @Inject
    RateLimiters limiters;

    private static final AtomicInteger NAMES = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callGoesAheadWhenItMayAndNotBefore(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, HALF));
        limiter.acquireAndAwait("a");
        long before = System.nanoTime();
        Duration wait = limiter.acquireUpToAndAwait("a", 1).retryAfter();

        RateLimitDecision decision = limiter.acquireAndAwait("a", 1, LONG);

        Duration waited = Duration.ofNanos(System.nanoTime() - before);
        assertThat(decision).returns(true, RateLimitDecision::allowed).returns(1L, RateLimitDecision::granted)
                .returns(Duration.ZERO, RateLimitDecision::retryAfter);
        assertThat(waited).isBetween(wait, wait.plusSeconds(10));
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void callThatWouldWaitTooLongIsRefusedAtOnceAndTakesNothing(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        limiter.acquireAndAwait("a");
        Duration before = limiter.acquireUpToAndAwait("a", 1).resetAfter();

        RateLimitDecision refused = limiter.acquire("a", 1, Duration.ofSeconds(30)).await().atMost(Duration.ofSeconds(15));

        assertThat(refused).returns(false, RateLimitDecision::allowed).returns(0L, RateLimitDecision::granted)
                .returns(false, RateLimitDecision::neverAllowed);
        assertThat(refused.retryAfter()).isBetween(Duration.ofNanos(1), AGES.multipliedBy(2));
        assertThat(limiter.peekAndAwait("a").resetAfter()).isLessThanOrEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void whoWaitsBehindAnotherIsRefusedAtOnceToo(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        limiter.acquireAndAwait("a");
        CompletableFuture<RateLimitDecision> first = limiter.acquire("a", 1, AGES.multipliedBy(3))
                .subscribeAsCompletionStage();
        Duration unlessOthersCall = limiter.acquireUpToAndAwait("a", 1).retryAfter();

        RateLimitDecision refused = limiter.acquire("a", 1, Duration.ofSeconds(30)).await().atMost(Duration.ofSeconds(15));

        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isBetween(unlessOthersCall.minusSeconds(90), unlessOthersCall.plus(AGES));
        assertThat(first).isNotDone();
        first.cancel(true);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void thoseWhoWaitAreServedInTheOrderOfTheirArrival(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, HALF));
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        limiter.acquireAndAwait("a");

        for (int i = 0; i < 4; i++) {
            int number = i;
            calls.add(limiter.acquire("a", 1, LONG).invoke(() -> served.add(number)).subscribeAsCompletionStage());
        }

        calls.forEach(CompletableFuture::join);
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    @Test
    void eachCallOfALineGoesAheadInATimeOfItsOwn() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, Duration.ofMillis(200)));
        List<RateLimitDecision> decisions = new CopyOnWriteArrayList<>();
        List<CompletableFuture<?>> calls = new ArrayList<>();

        for (int i = 0; i < 5; i++) {
            calls.add(limiter.acquire("a", 1, LONG).invoke(decisions::add).subscribeAsCompletionStage());
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
    void impossibleCostIsRefusedAtOnce(String algorithm) {
        RateLimitDecision refused = limiter(LimitOf.algorithm(algorithm, 1, AGES)).acquire("a", 2, AGES).await()
                .atMost(Duration.ofSeconds(15));

        assertThat(refused).returns(false, RateLimitDecision::allowed).returns(true, RateLimitDecision::neverAllowed);
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void whoCancelsTakesNothingAndLetsOthersGo(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        RateLimitDecision taken = limiter.acquireAndAwait("a");
        Cancellable cancelled = limiter.acquire("a", 1, AGES.multipliedBy(3)).subscribe().with(ignored -> {
        });
        limiter.peekAndAwait("a");

        cancelled.cancel();

        await().atMost(LONG)
                .until(() -> limiter.peekAndAwait("a").resetAfter().compareTo(taken.resetAfter()) <= 0);
        limiter.refundAndAwait(taken);
        assertThat(limiter.acquireAndAwait("a").allowed()).isTrue();
    }

    /**
     * All but those that cancel in the very moment in which their answer is on its way to them. A refund of the call that
     * began an interval begins it anew, after which others give nothing back.
     */
    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void whoCancelsWhileItIsAskedForGivesBack(String algorithm) {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        List<RateLimitDecision> sooner = new CopyOnWriteArrayList<>();

        for (int i = 0; i < 40; i++) {
            limiter.acquire("key" + i, 1, AGES).subscribe().with(sooner::add).cancel();
        }

        await().atMost(LONG).until(() -> {
            sooner.forEach(limiter::refundAndAwait);
            return IntStream.range(0, 40).filter(i -> limiter.peekAndAwait("key" + i).remaining() == 1).count() >= 35;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = { "token-bucket", "interval", "leaky-bucket", "fixed-window", "sliding-window", "sliding-log" })
    void interruptedThreadGivesUpItsPlace(String algorithm) throws InterruptedException {
        RateLimiter limiter = limiter(LimitOf.algorithm(algorithm, 1, AGES));
        RateLimitDecision taken = limiter.acquireAndAwait("a");
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                limiter.acquireAndAwait("a", 1, AGES.multipliedBy(3));
            } catch (CompletionException e) {
                failed.complete(Thread.currentThread().isInterrupted() ? e.getCause() : e);
            }
        });
        waiting.start();
        await().atMost(LONG).until(() -> waiting.getState() == Thread.State.WAITING);

        waiting.interrupt();

        assertThat(failed).succeedsWithin(LONG).isInstanceOf(InterruptedException.class);
        await().atMost(LONG)
                .until(() -> limiter.peekAndAwait("a").resetAfter().compareTo(taken.resetAfter()) <= 0);
        limiter.refundAndAwait(taken);
        assertThat(limiter.acquireAndAwait("a").allowed()).isTrue();
    }

    @Test
    void secondInLineTakesThePlaceOfAFirstThatCancels() {
        RateLimiter limiter = limiter(Limit.slidingLog(5, Duration.ofSeconds(2)));
        RateLimitDecision taken = limiter.acquireAndAwait("a", 5);
        Cancellable first = limiter.acquire("a", 5, LONG).subscribe().with(ignored -> {
        });
        CompletableFuture<RateLimitDecision> second = limiter.acquire("a", 1, LONG).subscribeAsCompletionStage();
        limiter.peekAndAwait("a");

        limiter.refundAndAwait(taken);
        first.cancel();

        assertThat(second).succeedsWithin(LONG).returns(true, RateLimitDecision::allowed);
    }

    @Test
    void whoseTimeIsOverInLineIsToldHowLongToWaitFromNow() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, Duration.ofSeconds(4)));
        limiter.acquireAndAwait("a");
        CompletableFuture<RateLimitDecision> first = limiter.acquire("a", 1, LONG).subscribeAsCompletionStage();
        CompletableFuture<RateLimitDecision> second = limiter.acquire("a", 1, Duration.ofSeconds(6))
                .subscribeAsCompletionStage();

        RateLimitDecision refused = second.join();

        Duration left = limiter.acquireUpToAndAwait("a", 1).retryAfter();
        assertThat(first).isCompletedWithValueMatching(RateLimitDecision::allowed);
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.retryAfter()).isBetween(left, left.plusSeconds(1));
    }

    @Test
    void fiveThousandWaitInOneLine() {
        RateLimiter limiter = limiter(Limit.slidingLog(5_000, Duration.ofSeconds(1)));
        limiter.acquireAndAwait("a", 5_000);
        List<CompletableFuture<RateLimitDecision>> calls = new ArrayList<>();

        for (int i = 0; i < 5_000; i++) {
            calls.add(limiter.acquire("a", 1, Duration.ofMinutes(2)).subscribeAsCompletionStage());
        }

        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofMinutes(1));
        assertThat(calls).allMatch(call -> call.join().allowed());
    }

    @Test
    void fiveThousandInOneLineGiveUpTogether() {
        RateLimiter limiter = limiter(Limit.slidingLog(1, AGES));
        limiter.acquireAndAwait("a");
        CompletableFuture<RateLimitDecision> first = limiter.acquire("a", 1, AGES).subscribeAsCompletionStage();
        List<CompletableFuture<RateLimitDecision>> calls = new ArrayList<>();

        for (int i = 0; i < 5_000; i++) {
            calls.add(limiter.acquire("a", 1, Duration.ofSeconds(2)).subscribeAsCompletionStage());
        }

        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofMinutes(1));
        assertThat(calls).noneMatch(call -> call.join().allowed());
        first.cancel(true);
        assertThatThrownBy(() -> limiter.acquireAndAwait("a", 1, Duration.ofDays(367)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private RateLimiter limiter(Limit limit) {
        return limiters.of("waiting" + NAMES.incrementAndGet(), limit);
    }
}
