package io.quarkiverse.ratelimit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/**
 * Waits for answers on the thread that asks; when it is interrupted it gives up what it waits for, which Mutiny's
 * {@code await()} does not. Made for this extension; may change at any time.
 */
public final class Await {

    private Await() {
    }

    /**
     * Waits, and stays interrupted when it is interrupted.
     *
     * @throws CompletionException when the thread is interrupted, or the answer is a checked exception, which is the cause
     * @throws IllegalStateException when the thread must not be blocked
     */
    public static <T> T answer(Uni<T> asked) {
        try {
            return interruptibly(asked);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }

    /**
     * Waits.
     *
     * @throws CompletionException when the answer is a checked exception, which is the cause
     * @throws IllegalStateException when the thread must not be blocked
     */
    public static <T> T interruptibly(Uni<T> asked) throws InterruptedException {
        if (!Infrastructure.canCallerThreadBeBlocked()) {
            throw new IllegalStateException(
                    "The current thread cannot be blocked: " + Thread.currentThread().getName() + ". Use the Uni.");
        }
        CompletableFuture<T> answer = asked.subscribeAsCompletionStage();
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            Throwable failure = e.getCause();
            if (failure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new CompletionException(failure);
        }
    }
}
