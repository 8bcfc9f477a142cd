package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.vertx.core.Vertx;

/** A {@code Uni} is charged per subscription, and its work runs only if the call is allowed. */
@QuarkusTest
class UniCallTest {

    @Inject
    Quotes quotes;

    @Inject
    Vertx vertx;

    @Test
    void eachSubscriptionIsChargedAndRunsTheMethod() {
        for (int i = 0; i < 5; i++) {
            quotes.next();
        }
        Uni<Integer> next = quotes.next();
        assertThat(quotes.calls).hasValue(0);

        assertThat(next.await().indefinitely()).isEqualTo(1);
        assertThat(next.await().indefinitely()).isEqualTo(2);

        assertThatThrownBy(() -> next.await().indefinitely()).isInstanceOf(RateLimitExceededException.class);
        assertThatThrownBy(() -> quotes.next().await().indefinitely()).isInstanceOf(RateLimitExceededException.class);
        assertThat(quotes.calls).hasValue(2);
    }

    @Test
    void denialIsAFailureAndCanBeRecovered() {
        quotes.nothing().await().indefinitely();
        quotes.nothing().await().indefinitely();

        assertThat(quotes.nothing().replaceWith("done")
                .onFailure(RateLimitExceededException.class).recoverWithItem("later").await().indefinitely())
                .isEqualTo("later");
    }

    @Test
    void failuresOfTheMethodPassUnchanged() throws Exception {
        IOException failure = new IOException("failed");
        quotes.fail(failure).subscribe().withSubscriber(UniAssertSubscriber.create()).awaitFailure()
                .assertFailedWith(IOException.class, "failed");

        assertThat(quotes.throwing(failure).onFailure().recoverWithItem(thrown -> thrown).await().indefinitely())
                .isSameAs(failure);
    }

    @Test
    void canceledBeforeItsDecisionTheMethodDoesNotRun() {
        AtomicInteger items = new AtomicInteger();
        onEventLoop(() -> quotes.canceled().subscribe().with(item -> items.incrementAndGet()).cancel());

        assertThat(quotes.canceled().await().indefinitely()).isEqualTo("not canceled");
        assertThat(quotes.cancellable).hasValue(1);
        assertThat(items).hasValue(0);
    }

    @Test
    void onAnEventLoopItIsDecidedWithoutBlocking() {
        CompletableFuture<Integer> arrived = new CompletableFuture<>();
        onEventLoop(() -> quotes.loop().onItemOrFailure().invoke((item, failure) -> arrived.complete(item))
                .subscribe().with(ignored -> {
                }));

        assertThat(arrived).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(7);
    }

    private void onEventLoop(Runnable task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        vertx.runOnContext(ignored -> done.completeAsync(() -> {
            task.run();
            return null;
        }, Runnable::run));
        done.join();
    }

    @Singleton
    @RateLimited("two")
    public static class Quotes {

        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger cancellable = new AtomicInteger();

        public Uni<Integer> next() {
            return Uni.createFrom().item(calls.incrementAndGet());
        }

        public Uni<Void> nothing() {
            return Uni.createFrom().voidItem();
        }

        public Uni<Throwable> fail(Exception failure) {
            return Uni.createFrom().failure(failure);
        }

        public Uni<Throwable> throwing(Exception failure) throws Exception {
            throw failure;
        }

        public Uni<String> canceled() {
            cancellable.incrementAndGet();
            return Uni.createFrom().item("not canceled");
        }

        public Uni<Integer> loop() {
            return Uni.createFrom().item(7);
        }
    }
}
