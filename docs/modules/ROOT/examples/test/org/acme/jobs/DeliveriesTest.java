package org.acme.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;

/** Messages are delayed, or denied and then not acknowledged. */
@QuarkusTest
class DeliveriesTest extends FreshLimits {

    private static final Duration TENTH = Duration.ofMillis(100);

    @Inject
    Depot depot;

    @Inject
    Deliveries deliveries;

    @Inject
    @RateLimitPolicy("letters")
    RateLimiter limiter;

    @BeforeEach
    void nothingIsDelivered() {
        deliveries.delivered().clear();
    }

    @Test
    void messagesAreDelayedAndAllDelivered() {
        long begun = System.nanoTime();

        await(Stream.of("a", "b", "c", "d").map(depot.parcels::send).map(sent -> sent.toCompletableFuture()).toList());

        assertThat(deliveries.delivered()).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(3));
    }

    @Test
    void messagesToEachReceiverAreDelayed() {
        long begun = System.nanoTime();

        await(Stream.of("a", "b", "c", "d").map(text -> depot.letters.send(new Deliveries.Letter("alice", text)))
                .map(sent -> sent.toCompletableFuture()).toList());

        assertThat(deliveries.delivered()).containsExactly("a", "b", "c", "d");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(TENTH.multipliedBy(3));
    }

    @Test
    void messageThatCannotBeDeliveredInTimeIsNotAcknowledged() {
        limiter.forKey("bob").charge(1000);

        assertThatThrownBy(() -> depot.letters.send(new Deliveries.Letter("bob", "x")).toCompletableFuture()
                .get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(RateLimitExceededException.class);
        await(List.of(depot.letters.send(new Deliveries.Letter("carol", "y")).toCompletableFuture()));

        assertThat(deliveries.delivered()).containsExactly("y");
    }

    @Test
    void deniedMessageIsNotAcknowledgedAndTheNextOnesAreStillRequested() {
        await(List.of(depot.adverts.send("a").toCompletableFuture(), depot.adverts.send("b").toCompletableFuture()));

        for (String denied : List.of("c", "d")) {
            assertThatThrownBy(() -> depot.adverts.send(denied).toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(RateLimitExceededException.class);
        }
        limits.reset();
        await(List.of(depot.adverts.send("e").toCompletableFuture()));
        assertThat(deliveries.delivered()).containsExactly("a", "b", "e");
    }

    private static void await(List<CompletableFuture<Void>> sent) {
        assertThat(CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))).succeedsWithin(Duration.ofSeconds(20));
    }
}
