package io.quarkiverse.ratelimit.test.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** Bean methods run up to the limit at once, and release their permit when their work ends. */
@QuarkusTest
class ConcurrencyOfBeansTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofSeconds(2);

    @Inject
    Work work;

    @Inject
    @RateLimitPolicy("one-at-once")
    RateLimiter one;

    @Inject
    @RateLimitPolicy("slow-pace")
    RateLimiter paced;

    @AfterEach
    void everythingIsReleased() {
        await().atMost(SOON).until(() -> one.forKey("any").peek().remaining() == 1);
    }

    @Test
    void plainWorkHoldsItsPermitUntilItReturns() {
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<String> running = CompletableFuture.supplyAsync(() -> work.plain(gate));
        awaitRunning();

        assertThatThrownBy(() -> work.plain(gate)).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().retryAfter()).isEqualTo(Duration.ofSeconds(1)));
        await().during(LONG).atMost(SOON).until(() -> !one.forKey("any").peek().allowed());

        gate.countDown();
        assertThat(running).succeedsWithin(SOON);
    }

    @Test
    void workThatThrowsReleasesItsPermit() {
        for (int call = 0; call < 3; call++) {
            assertThatThrownBy(() -> work.fails()).isInstanceOf(IOException.class);
            everythingIsReleased();
        }
    }

    @Test
    void uniHoldsItsPermitUntilItEnds() {
        CompletableFuture<String> gate = new CompletableFuture<>();
        CompletableFuture<String> running = work.uni(gate).subscribeAsCompletionStage();
        awaitRunning();

        assertThatThrownBy(() -> work.uni(gate).await().atMost(SOON)).isInstanceOf(RateLimitExceededException.class);
        gate.complete("done");

        assertThat(running).succeedsWithin(SOON);
        everythingIsReleased();
        assertThatThrownBy(() -> work.uni(CompletableFuture.failedFuture(new IllegalStateException())).await().atMost(SOON))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void canceledUniReleasesItsPermit() {
        Cancellable running = work.uni(new CompletableFuture<>()).subscribe().with(ignored -> {
        });
        awaitRunning();

        running.cancel();

        everythingIsReleased();
    }

    @Test
    void uniCanceledBeforeItIsAllowedReleasesItsPermit() {
        for (int call = 0; call < 50; call++) {
            work.uni(new CompletableFuture<>()).subscribe().with(ignored -> {
            }).cancel();
        }

        everythingIsReleased();
    }

    @Test
    void multiHoldsItsPermitUntilItEnds() {
        assertThat(work.multi(Multi.createFrom().items("a", "b")).collect().asList().await().atMost(SOON)).hasSize(2);
        everythingIsReleased();
        work.multi(Multi.createFrom().failure(new IOException())).subscribe().withSubscriber(AssertSubscriber.create(1))
                .awaitFailure(SOON);
        everythingIsReleased();

        AssertSubscriber<String> running = work.multi(Multi.createBy().concatenating()
                .streams(Multi.createFrom().item("a"), Multi.createFrom().nothing())).subscribe()
                .withSubscriber(AssertSubscriber.create(2));
        running.awaitItems(1, SOON);
        assertThat(one.forKey("any").peek().allowed()).isFalse();
        running.cancel();
    }

    @Test
    void stageHoldsItsPermitUntilItEnds() {
        CompletableFuture<String> gate = new CompletableFuture<>();
        CompletionStage<String> running = work.stage(gate);
        awaitRunning();

        gate.complete("done");
        assertThat(running).succeedsWithin(SOON);
        everythingIsReleased();
        assertThat(work.stage(CompletableFuture.failedFuture(new IOException()))).failsWithin(SOON);
    }

    @Test
    void interruptedThreadLeavesTheQueue() throws InterruptedException {
        work.paced();
        Duration afterOne = paced.forKey("any").peek().resetAfter();
        Thread waiting = new Thread(() -> work.paced());
        waiting.start();
        await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(afterOne.plusDays(50)) > 0);

        waiting.interrupt();

        waiting.join(SOON.toMillis());
        assertThat(waiting.isAlive()).isFalse();
        await().atMost(SOON).until(() -> paced.forKey("any").peek().resetAfter().compareTo(afterOne) <= 0);
    }

    private void awaitRunning() {
        await().atMost(SOON).until(() -> !one.forKey("any").peek().allowed());
    }

    @Singleton
    @RateLimited("one-at-once")
    public static class Work {

        public String plain(CountDownLatch gate) {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "done";
        }

        public String fails() throws IOException {
            throw new IOException("broken");
        }

        public Uni<String> uni(CompletableFuture<String> gate) {
            return Uni.createFrom().completionStage(gate);
        }

        public Multi<String> multi(Multi<String> items) {
            return items;
        }

        public CompletionStage<String> stage(CompletableFuture<String> gate) {
            return gate;
        }

        @RateLimited("slow-pace")
        public String paced() {
            return "paced";
        }
    }
}
