package io.quarkiverse.ratelimit.runtime.platform.mutiny;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** A waiting thread gets the result, or cancels what it waits for. */
@Timeout(20)
class AwaitTest {

    private final AtomicBoolean canceled = new AtomicBoolean();
    private final Uni<String> never = Uni.createFrom().<String> nothing().onCancellation().invoke(() -> canceled.set(true));

    @AfterEach
    void mayBeBlockedAgain() {
        Thread.interrupted();
        Infrastructure.resetCanCallerThreadBeBlockedSupplier();
    }

    @Test
    void interruptedThreadCancelsWhatItWaitsForAndStaysInterrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Await.result(never)).isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(InterruptedException.class);

        assertThat(canceled).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void interruptionIsThrownWhereItMayBe() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> Await.interruptibly(never)).isInstanceOf(InterruptedException.class);

        assertThat(canceled).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void resultsAndFailuresArrive() {
        assertThat(Await.result(Uni.createFrom().item("yes"))).isEqualTo("yes");
        assertThatThrownBy(() -> Await.result(Uni.createFrom().failure(new IllegalArgumentException("no"))))
                .isInstanceOf(IllegalArgumentException.class).hasMessage("no");
        assertThatThrownBy(() -> Await.result(Uni.createFrom().failure(new IOException("no"))))
                .isInstanceOf(CompletionException.class).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void nothingIsSentOnAThreadThatMustNotBeBlocked() {
        AtomicBoolean requested = new AtomicBoolean();
        Infrastructure.setCanCallerThreadBeBlockedSupplier(() -> false);

        assertThatThrownBy(() -> Await.result(Uni.createFrom().item(() -> requested.getAndSet(true))))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("cannot be blocked");

        assertThat(requested).isFalse();
    }
}
