package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/** A {@code Multi} is charged when somebody subscribes, a {@code CompletionStage} when the method is called. */
@QuarkusTest
class MultiAndStageTest {

    private static final Duration SOON = Duration.ofSeconds(5);

    @Inject
    Feed feed;

    @Test
    void multiIsChargedPerSubscriptionAndNotPerItem() {
        Multi<Integer> items = feed.items();
        feed.items();
        assertThat(feed.subscribed).hasValue(0);

        assertThat(items.collect().asList().await().indefinitely()).containsExactly(1, 2, 3);
        AssertSubscriber<Integer> slow = items.subscribe().withSubscriber(AssertSubscriber.create(0));
        slow.awaitNextItems(2).assertItems(1, 2).cancel();

        items.subscribe().withSubscriber(AssertSubscriber.create(1)).awaitFailure()
                .assertFailedWith(RateLimitExceededException.class, "policy two");
        assertThat(feed.subscribed).hasValue(2);
    }

    @Test
    void failureOfAMultiPassesUnchanged() {
        feed.failing().subscribe().withSubscriber(AssertSubscriber.create(5)).awaitFailure()
                .assertItems(1).assertFailedWith(IOException.class, "broken");
    }

    @Test
    void stageIsChargedOnCall() {
        CompletionStage<String> first = feed.stage();
        CompletionStage<String> second = feed.stage();
        CompletionStage<String> third = feed.stage();

        assertThat(first).succeedsWithin(SOON).isEqualTo("stage");
        assertThat(second).succeedsWithin(SOON).isEqualTo("stage");
        assertThat(third).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(RateLimitExceededException.class);
        assertThat(feed.stages).hasValue(2);
    }

    @Test
    void futureFailsWithTheCauseItself() {
        IOException failure = new IOException("failed");

        assertThat(feed.future(failure)).failsWithin(SOON).withThrowableThat().havingCause().isSameAs(failure);
        assertThat(feed.future(null)).failsWithin(SOON).withThrowableThat().havingCause()
                .isInstanceOf(IllegalStateException.class).withMessage("thrown");
        assertThat(feed.future(failure)).failsWithin(SOON).withThrowableThat()
                .withCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void subclassOfAFutureIsWaitedForLikeAPlainValue() {
        assertThat(feed.ticket()).isInstanceOf(Ticket.class);
    }

    public static class Ticket extends CompletableFuture<String> {
    }

    @Singleton
    @RateLimited("two")
    public static class Feed {

        final AtomicInteger subscribed = new AtomicInteger();
        final AtomicInteger stages = new AtomicInteger();

        public Multi<Integer> items() {
            subscribed.incrementAndGet();
            return Multi.createFrom().items(1, 2, 3);
        }

        public Multi<Integer> failing() {
            return Multi.createBy().concatenating().streams(Multi.createFrom().item(1),
                    Multi.createFrom().failure(new IOException("broken")));
        }

        public CompletionStage<String> stage() {
            stages.incrementAndGet();
            return CompletableFuture.completedStage("stage");
        }

        public CompletableFuture<String> future(Exception failure) {
            if (failure == null) {
                throw new IllegalStateException("thrown");
            }
            return CompletableFuture.failedFuture(failure);
        }

        public Ticket ticket() {
            return new Ticket();
        }
    }
}
